#include "weft/nn/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

using test::values;
using testing::DoubleNear;
using testing::Pointwise;

template <class Options>
std::vector<double> pooled() {
  const ops::LayoutPtr rows = ops::make_layout({{0, 2, 2, 3}});
  const Tensor x = Tensor::from(std::vector<double>{1, 4, 3, 2, -5, -6}, {3, 2});
  const PoolingKinds kinds = Options();
  return values(make_pooling(kinds, 2)(x, rows, nullptr));
}

TEST(PoolingKinds, ComputeTheirEquations) {
  const auto are = [](std::vector<double> expected) {
    return Pointwise(DoubleNear(1e-12), std::move(expected));
  };
  const double root = std::sqrt(2.0);
  EXPECT_THAT(pooled<MeanPoolingOptions>(), are({2, 3, 0, 0, -5, -6}));
  EXPECT_THAT(pooled<LastRowPoolingOptions>(), are({3, 2, 0, 0, -5, -6}));
  EXPECT_THAT(pooled<RootMeanPoolingOptions>(), are({4 / root, 6 / root, 0, 0, -5, -6}));
  EXPECT_THAT(pooled<PositionMeanPoolingOptions>(),
              are({(1 + 2 * 3) / 3.0, (4 + 2 * 2) / 3.0, 0, 0, -5, -6}));
}

}  // namespace
}  // namespace weft::nn
