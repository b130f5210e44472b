#include "weft/kernels/norm.h"

#include <gtest/gtest.h>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

TEST(ReferenceLayerNorm, GivesKnownValues) {
  Buffer<double> x(1, 4, {1, 3, 5, 7}), gamma(1, 4, {1, 1, 2, 1}), beta(1, 4, {0, 0, 0, 1});
  Buffer<double> y(1, 4), stats(1, 2);
  ref_backend()(LayerNorm{.x = x,
                          .gamma = gamma,
                          .beta = beta,
                          .epsilon = 4,
                          .y = y,
                          .stats = stats});  // mean 4, variance 5, plus 4: 3^2
  expect_near(y, {-1, -1.0 / 3, 2.0 / 3, 2}, 1e-14);
  expect_near(stats, {4, 1.0 / 3}, 1e-14);
  Buffer<double> y_again(1, 4);
  ref_backend()(LayerNorm{.x = x, .gamma = gamma, .beta = beta, .epsilon = 4, .y = y_again});
  EXPECT_EQ(y, y_again);
}

TEST(ReferenceLayerNorm, GradientsAgreeWithDifferences) {
  auto x = Buffer<double>::random(3, 5, 1), gamma = Buffer<double>::random(1, 5, 2);
  auto beta = Buffer<double>::random(1, 5, 3), d_y = Buffer<double>::random(3, 5, 4);
  Buffer<double> y(3, 5), stats(3, 2), d_x(3, 5);
  Buffer<double> d_gamma(1, 5, {1, 1, 1, 1, 1}), d_beta(1, 5, {2, 2, 2, 2, 2});
  const auto value = [&] {
    ref_backend()(
        LayerNorm{.x = x, .gamma = gamma, .beta = beta, .epsilon = 1e-5, .y = y, .stats = stats});
    double sum = 0;
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 5; ++j) sum += y.at(i, j) * d_y.at(i, j);
    }
    return sum;
  };
  const auto slope = [&](double& parameter) {
    constexpr double kStep = 1e-6;
    const double before = parameter;
    parameter = before + kStep;
    const double above = value();
    parameter = before - kStep;
    const double below = value();
    parameter = before;
    return (above - below) / (2 * kStep);
  };
  value();
  ref_backend()(LayerNormBackward{.x = x,
                                  .gamma = gamma,
                                  .stats = stats,
                                  .d_y = d_y,
                                  .d_x = d_x,
                                  .d_gamma = d_gamma,
                                  .d_beta = d_beta});
  for (int64_t j = 0; j < 5; ++j) {
    for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(d_x.at(i, j), slope(x.at(i, j)), 1e-7);
    EXPECT_NEAR(d_gamma.at(0, j), 1 + slope(gamma.at(0, j)), 1e-7);  // added to
    EXPECT_NEAR(d_beta.at(0, j), 2 + slope(beta.at(0, j)), 1e-7);
  }
}

TEST(ReferenceResidualNorm, EqualsDropoutAdditionAndNorm) {
  const std::vector<int32_t> sequence{0, 0}, position{0, 1};
  const DropoutMask d{32768, 7, {1, 2}, sequence.data(), position.data()};
  auto x = Buffer<float>::random(2, 40, 1), residual = Buffer<float>::random(2, 40, 2);
  auto gamma = Buffer<float>::random(1, 40, 3), beta = Buffer<float>::random(1, 40, 4);
  Buffer<float> h(2, 40), y(2, 40), stats(2, 2), h2(2, 40), y2(2, 40), stats2(2, 2);
  ref_backend()(ResidualNorm{.dropout = d,
                             .x = x,
                             .residual = residual,
                             .gamma = gamma,
                             .beta = beta,
                             .epsilon = 1e-5,
                             .h = h,
                             .y = y,
                             .stats = stats});
  ref_backend()(Dropout{.mask = d, .x = x, .y = h2});
  ref_backend()(Add{.x = residual, .z = h2, .y = h2});
  ref_backend()(
      LayerNorm{.x = h2, .gamma = gamma, .beta = beta, .epsilon = 1e-5, .y = y2, .stats = stats2});
  EXPECT_EQ(h, h2);
  EXPECT_EQ(y, y2);
  EXPECT_EQ(stats, stats2);
}

TEST(ReferenceRmsNorm, GivesKnownValues) {
  Buffer<double> x(1, 2, {1, 7}), gamma(1, 2, {1, 2}), y(1, 2), stats(1, 1);
  ref_backend()(RmsNorm{
      .x = x, .gamma = gamma, .epsilon = 0, .y = y, .stats = stats});  // the mean square is 25
  expect_near(y, {0.2, 2.8}, 1e-14);
  expect_near(stats, {0.2}, 1e-14);
}

TEST(ReferenceResidualNorm, ScalesTheResidualAlone) {
  Buffer<double> x(1, 2, {1, 2}), residual(1, 2, {0, 1.25}), gamma(1, 2, {1, 2});
  Buffer<double> h(1, 2), y(1, 2), stats(1, 1);
  ref_backend()(ResidualNorm{.x = x,
                             .residual = residual,
                             .gamma = gamma,
                             .epsilon = 0,
                             .h = h,
                             .y = y,
                             .stats = stats,
                             .residual_scale = 4});
  expect_near(h, {1, 7}, 1e-14);
  expect_near(y, {0.2, 2.8}, 1e-14);  // without a beta it is an rms norm
}

TEST(ReferenceBatchNorm, GivesKnownValues) {
  Buffer<double> x(2, 2, {1, 10, 5, 10}), gamma(1, 2, {1, 1}), beta(1, 2, {0, 3});
  Buffer<double> stats(2, 2), y(2, 2);
  ref_backend()(ColumnMoments{.x = x, .stats = stats});
  expect_near(stats, {3, 10, 4, 0}, 1e-14);
  ref_backend()(
      BatchNorm{.x = x, .gamma = gamma, .beta = beta, .epsilon = 12, .y = y, .stats = stats});
  expect_near(y, {-0.5, 3, 0.5, 3}, 1e-14);
}

}  // namespace
}  // namespace weft::kernels
