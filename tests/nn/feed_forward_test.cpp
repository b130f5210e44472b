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

TEST(FeedForward, OfOneInnerFeatureIsGatedToo) {
  FeedForward network({.features = 2, .inner = 1, .gated = true});
  const auto parameters = parameters_of(network);
  bind(parameters);
  initialise(parameters, 1);
  const auto rows = ops::make_rows(std::vector<int32_t>{0, 3});
  Context context;
  EXPECT_EQ(network(Tensor::full({3, 2}, 1), rows, context).shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace weft::nn
