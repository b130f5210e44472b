#include "weft/kernels/softmax.h"

#include <gtest/gtest.h>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

TEST(ReferenceSoftmax, GivesKnownValuesAndSurvivesLargeOnes) {
  Buffer<double> x(2, 3, {0, std::log(2), std::log(5), 1000, 1000, -1000}), y(2, 3);
  ref_backend()(Softmax{.x = x, .y = y});
  expect_near(y, {0.125, 0.25, 0.625, 0.5, 0.5, 0}, 1e-12);
  ref_backend()(LogSoftmax{.x = x, .y = y});
  expect_near(y,
              {std::log(0.125), std::log(0.25), std::log(0.625), -std::log(2), -std::log(2),
               -2000 - std::log(2)},
              1e-12);
}

TEST(ReferenceSoftmax, GradientIsThatOfTheDefinition) {
  Buffer<double> y(1, 2, {0.25, 0.75}), d_y(1, 2, {1, 3}), d_x(1, 2);
  ref_backend()(SoftmaxBackward{.y = y, .d_y = d_y, .d_x = d_x});  // y (d_y - 2.5)
  expect_near(d_x, {-0.375, 0.375}, 1e-15);
  Buffer<double> log_y(1, 2, {std::log(0.25), std::log(0.75)});
  ref_backend()(LogSoftmaxBackward{.y = log_y, .d_y = d_y, .d_x = d_x});  // d_y - 4 y
  expect_near(d_x, {0, 0}, 1e-15);
}

TEST(ReferenceCrossEntropy, MatchesAManualValue) {
  Buffer<double> x(1, 4, {0, std::log(2), std::log(4), 0}), d_x(1, 4);
  const int32_t target = 2;
  double loss = 0, nll = 0;
  ref_backend()(SoftmaxLoss{.x = x,
                            .targets = &target,
                            .smoothing = 0.2,
                            .weight = 3,
                            .loss = &loss,
                            .nll = &nll,
                            .d_x = d_x});
  EXPECT_NEAR(nll, std::log(2), 1e-12);
  // 0.8 ln 2 + 0.05 (3 + 2 + 1 + 3) ln 2
  EXPECT_NEAR(loss, 1.25 * std::log(2), 1e-12);
  expect_near(d_x, {3 * (0.125 - 0.05), 3 * (0.25 - 0.05), 3 * (0.5 - 0.85), 3 * (0.125 - 0.05)},
              1e-12);
}

TEST(ReferenceCrossEntropy, LeavesTheLogitsAloneWithoutAGradient) {
  Buffer<float> x(1, 2, {1, 1});
  const int32_t target = 0;
  double loss = 0, nll = 0;
  ref_backend()(SoftmaxLoss{
      .x = x, .targets = &target, .smoothing = 0, .weight = 1, .loss = &loss, .nll = &nll});
  EXPECT_NEAR(loss, std::log(2), 1e-6);
  EXPECT_EQ(loss, nll);
  expect_near(x, {1, 1}, 0);
}

}  // namespace
}  // namespace weft::kernels
