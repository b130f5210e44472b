#include "weft/nn/feed_forward.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Activation, IsMadeByName) {
  EXPECT_EQ(make_activation("relu"), ops::Activation::kRelu);
  EXPECT_EQ(make_activation("gelu"), ops::Activation::kGelu);
  EXPECT_EQ(make_activation("silu"), ops::Activation::kSilu);
  EXPECT_THAT([] { make_activation("tanh"); },
              ThrowsMessage<OptionError>(HasSubstr(
                  "transformer-ffn-activation: expected relu, gelu or silu, got 'tanh'")));
}

}  // namespace
}  // namespace weft::nn
