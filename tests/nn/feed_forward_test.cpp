#include "weft/nn/feed_forward.h"

#include <gtest/gtest.h>

namespace weft::nn {
namespace {

TEST(FeedForward, OfOneInnerFeatureIsGatedToo) {
  DropoutSites dropouts;
  FeedForward network({.inner = 1, .gated = true}, 2, dropouts);
  const auto parameters = parameters_of(network);
  bind(parameters);
  initialise(parameters, 1);
  const auto rows = ops::make_rows({{0, 3}});
  Context context;
  EXPECT_EQ(network(Tensor::full({3, 2}, 1), rows, context).shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace weft::nn
