#include "weft/ops/losses/cosent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::ops {
namespace {

TEST(CoSent, SumsPairsInTheWrongOrder) {
  const Tensor scores = Tensor::from(std::vector<double>{0.1, 0.4, 0.3}, {3, 1});
  const std::vector<float> targets = {2, 1, 1};  // of the last two neither comes first
  const Loss got = cosent(scores, targets, {.scale = 10, .weight = 0.5}, nullptr);
  const double expected = 3 * std::log(1 + std::exp(10 * 0.3) + std::exp(10 * 0.2));
  EXPECT_NEAR(got.total, expected, 1e-12);
  EXPECT_NEAR(got.value.item(), 0.5 * expected, 1e-12);
}

TEST(CoSent, IsFiniteForLargeDifferences) {
  const Tensor scores = Tensor::from(std::vector<double>{-1, 1}, {2, 1});
  const Loss got = cosent(scores, std::vector<float>{1, 0}, {.scale = 1000}, nullptr);
  EXPECT_NEAR(got.total, 2 * 2000, 1e-9);
}

TEST(CoSent, IsZeroForEqualTargets) {
  const Tensor scores = Tensor::from(std::vector<double>{0.2, -0.7}, {2, 1});
  EXPECT_EQ(cosent(scores, std::vector<float>{1, 1}, {}, nullptr).total, 0);
}

TEST(CoSent, RefusesOtherShapes) {
  const std::vector<float> targets = {1, 2};
  EXPECT_THROW(cosent(Tensor::zeros({3, 1}), targets, {}, nullptr), ShapeError);
  EXPECT_THROW(cosent(Tensor::zeros({2, 2}), targets, {}, nullptr), ShapeError);
}

}  // namespace
}  // namespace weft::ops
