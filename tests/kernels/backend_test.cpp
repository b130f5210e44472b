#include "weft/kernels/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/kernels/buffer.h"
#include "weft/core/error.h"
#include "weft/core/profile.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/softmax.h"

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

TEST(Backend, ReportsUnsupportedTypes) {
  std::vector<uint8_t> bytes(4);
  const View x{bytes.data(), DType::kU8, 1, 4, 4, 1};
  EXPECT_THAT(([&] { ref_backend()(Softmax{.x = x, .y = x}); }),
              ThrowsMessage<ShapeError>(HasSubstr("softmax: no kernel for U8")));
  EXPECT_THAT(([&] { ref_backend()(Copy{.x = x, .y = x}); }),
              ThrowsMessage<ShapeError>(HasSubstr("copy: no kernel for U8")));
}

// A kernel is found by its type, independent of its position in the list.
TEST(Backend, RunsTheKernelOfTheStruct) {
  for (const Backend* backend : {&ref_backend(), &cpu_backend()}) {
    Buffer<float> x(1, 2, {6, 8}), z(1, 2, {2, 4}), y(1, 2);
    (*backend)(Add{.x = x, .z = z, .y = y});
    EXPECT_EQ(y, Buffer<float>(1, 2, {8, 12}));
    (*backend)(Divide{.x = x, .z = z, .y = y});
    EXPECT_EQ(y, Buffer<float>(1, 2, {3, 2}));
  }
}

// A test device with the members that Backend requires.
struct Counting {
  static constexpr std::string_view kName = "counting";
  static bool is_fast_in(DType type) { return type == DType::kI32; }
  template <class K>
  static void run(const K&) {
    ++others;
  }
  static void run(const Fill&) { ++fills; }
  static inline int fills = 0, others = 0;
};

TEST(Backend, IsMadeFromTheListForAnyDevice) {
  const Backend backend{Counting()};
  EXPECT_EQ(backend.name(), "counting");
  EXPECT_TRUE(backend.is_fast_in(DType::kI32));
  backend(Fill{.y = {}, .value = 0});
  backend(Copy{.x = {}, .y = {}});
  backend(Softmax{.x = {}, .y = {}});
  EXPECT_EQ(Counting::fills, 1);
  EXPECT_EQ(Counting::others, 2);
}

class ProfiledCalls : public testing::TestWithParam<const Backend*> {
 protected:
  // The profile entries of the calls made by `body`.
  template <class Body>
  static std::vector<profile::Entry> entries_of(Body body) {
    profile::start(false);
    body();
    profile::stop();
    return profile::entries();
  }
};

TEST_P(ProfiledCalls, AreRecordedWithNameAndBytes) {
  Buffer<float> x(3, 4), y(3, 4);
  const auto entries = entries_of([&] { (*GetParam())(Softmax{.x = x, .y = y}); });
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "softmax");
  EXPECT_EQ(entries[0].calls, 1);
  EXPECT_EQ(entries[0].flop, 0);
  EXPECT_EQ(entries[0].bytes, 2 * 3 * 4 * sizeof(float));
}

TEST_P(ProfiledCalls, UseTheNameOfTheCall) {
  Buffer<float> a(3, 2), b(3, 4), c(2, 4);
  const auto entries =
      entries_of([&] { (*GetParam())(Gemm{.a = a, .b = b, .c = c, .transpose_a = true}); });
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "gemm a'b");
  EXPECT_EQ(entries[0].flop, 2 * 2 * 3 * 4);
}

// Nested calls and fallbacks to the reference are part of the outer call.
TEST_P(ProfiledCalls, AreRecordedOnce) {
  Buffer<double> x(3, 4), y(2, 4);
  const std::vector<int32_t> index{2, -1};
  const auto entries =
      entries_of([&] { (*GetParam())(GatherRows{.x = x, .index = index.data(), .y = y}); });
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].calls, 1);
}

TEST_P(ProfiledCalls, CountTheProductsOfEveryQueryHead) {
  const std::vector<int32_t> offsets = {0, 3, 5};  // 9 + 4 pairs
  Buffer<float> q(5, 8), k(5, 4), v(5, 6), out(5, 12), lse(5, 4);
  const Attention a{.q = q,
                    .k = k,
                    .v = v,
                    .out = out,
                    .lse = lse,
                    .q_offsets = offsets,
                    .k_offsets = offsets,
                    .heads = 4,
                    .key_heads = 2};
  const auto entries = entries_of([&] { (*GetParam())(a); });
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].flop, 2 * 13 * (8 + 12));
}

TEST_P(ProfiledCalls, AreNotRecordedWithoutAProfile) {
  Buffer<float> x(3, 4);
  const auto entries = entries_of([] {});
  (*GetParam())(Fill{.y = x, .value = 1});
  EXPECT_TRUE(entries.empty());
  EXPECT_TRUE(profile::entries().empty());
}

INSTANTIATE_TEST_SUITE_P(Backends, ProfiledCalls, testing::Values(&ref_backend(), &cpu_backend()),
                         [](const auto& backend) { return std::string(backend.param->name()); });

}  // namespace
}  // namespace weft::kernels
