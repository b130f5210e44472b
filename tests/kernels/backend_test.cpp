#include "weft/kernels/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/buffer.h"
#include "weft/core/error.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Backend, IsFoundByItsName) {
  EXPECT_EQ(backend_named("ref").name(), "ref");
  EXPECT_EQ(backend_named("cpu").name(), "cpu");
  EXPECT_THAT([] { backend_named("gpu"); },
              ThrowsMessage<OptionError>(HasSubstr("WEFT_BACKEND: unknown backend")));
}

TEST(Backend, NamesKernelAndTypeItDoesNotKnow) {
  std::vector<uint8_t> bytes(4);
  const View x{bytes.data(), DType::kU8, 1, 4, 4, 1};
  EXPECT_THAT([&] { ref_backend().softmax(x, x); },
              ThrowsMessage<ShapeError>(HasSubstr("softmax: no kernel for U8")));
  EXPECT_THAT([&] { ref_backend().copy(x, x); },
              ThrowsMessage<ShapeError>(HasSubstr("copy: no kernel for U8")));
}

}  // namespace
}  // namespace weft::kernels
