#include "weft/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/buffer.h"
#include "tests/kernels/sum_of_squares.h"
#include "weft/kernels/activation.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/ref/activation.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

TEST(ReferenceElementwise, AddsMultipliesScalesAndAccumulates) {
  Buffer<float> x(1, 3, {1, 2, 3}), z(1, 3, {4, 5, -6}), y(1, 3);
  ref_backend()(Add{.x = x, .z = z, .y = y});
  expect_near(y, {5, 7, -3}, 0);
  ref_backend()(Multiply{.x = x, .z = z, .y = y});
  expect_near(y, {4, 10, -18}, 0);
  ref_backend()(Scale{.alpha = -0.5, .x = x, .y = y});
  expect_near(y, {-0.5, -1, -1.5}, 0);
  ref_backend()(Accumulate{.alpha = 2, .x = z, .y = y});
  expect_near(y, {7.5, 9, -13.5}, 0);
  ref_backend()(Fill{.y = y, .value = 0.25});
  expect_near(y, {0.25, 0.25, 0.25}, 0);
}

TEST(ReferenceCopy, ConvertsBetweenTypes) {
  Buffer<double> x(1, 3, {1.75, -2.5, 3});
  Buffer<float> f(1, 3);
  Buffer<int32_t> i(1, 3);
  ref_backend()(Copy{.x = x, .y = f});
  expect_near(f, {1.75, -2.5, 3}, 0);
  ref_backend()(Copy{.x = f, .y = i});
  expect_near(i, {1, -2, 3}, 0);
  ref_backend()(Copy{.x = i, .y = x});
  expect_near(x, {1, -2, 3}, 0);
}

TEST(ReferenceCopy, RoundsToTheNearestBfloat16) {
  // 1 + 2^-8 is a tie and rounds to the even 1; 1 + 3 * 2^-8 to the even 1 + 2^-6.
  Buffer<float> x(1, 4, {1 + 1.0 / 256, 1 + 3.0 / 256, 1 + 1.01 / 256, -3.0});
  std::vector<BF16> half(4);
  const View as_bf16{half.data(), DType::kBF16, 1, 4, 4, 1};
  ref_backend()(Copy{.x = x, .y = as_bf16});
  ref_backend()(Copy{.x = as_bf16, .y = x});
  expect_near(x, {1, 1 + 1.0 / 64, 1 + 1.0 / 128, -3}, 0);
  EXPECT_TRUE(std::isnan(static_cast<float>(BF16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(ReferenceActivation, GivesKnownValues) {
  Buffer<double> x(1, 3, {-1, 0, 2}), y(1, 3);
  ref_backend()(Activate{.kind = Activation::kNone, .x = x, .y = y});
  expect_near(y, {-1, 0, 2}, 0);
  ref_backend()(Activate{.kind = Activation::kRelu, .x = x, .y = y});
  expect_near(y, {0, 0, 2}, 0);
  ref_backend()(Activate{.kind = Activation::kGelu, .x = x, .y = y});
  expect_near(y, {-0.158655253931457, 0, 1.954499736103642}, 1e-14);
  ref_backend()(Activate{.kind = Activation::kSilu, .x = x, .y = y});
  expect_near(y, {-0.268941421369995, 0, 1.761594155955765}, 1e-14);
}

TEST(ReferenceActivation, GradientAgreesWithDifferences) {
  constexpr double kStep = 1e-6;
  for (const auto kind :
       {Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kGeluTanh,
        Activation::kSilu, Activation::kTanh, Activation::kSigmoid}) {
    Buffer<double> x(1, 4, {-3, -0.4, 0.7, 2}), d_y(1, 4, {1, -2, 3, 0.5}), d_x(1, 4);
    ref_backend()(ActivateBackward{.kind = kind, .x = x, .d_y = d_y, .d_x = d_x});
    for (int64_t i = 0; i < 4; ++i) {
      const double value = x.at(0, i);
      const double slope =
          (ref::activate(kind, value + kStep) - ref::activate(kind, value - kStep)) / (2 * kStep);
      EXPECT_NEAR(d_x.at(0, i), d_y.at(0, i) * slope, 1e-8);
    }
  }
}

TEST(ReferenceGate, MultipliesTheActivatedHalfByTheOther) {
  Buffer<double> x(1, 4, {-1, 2, 10, 3}), y(1, 2), d_y(1, 2, {1, 2}), d_x(1, 4);
  ref_backend()(Gate{.kind = Activation::kRelu, .x = x, .y = y});
  expect_near(y, {0, 6}, 0);
  ref_backend()(GateBackward{.kind = Activation::kRelu, .x = x, .d_y = d_y, .d_x = d_x});
  expect_near(d_x, {0, 6, 0, 4}, 0);
}

TEST(ReferenceReductions, GiveKnownValues) {
  Buffer<float> x(2, 3, {1, 5, 5, -2, -4, -3}), sums(1, 3, {100, 0, 0});
  std::vector<int32_t> best(2);
  ref_backend()(ColumnSum{.x = x, .y = sums});
  expect_near(sums, {99, 1, 2}, 0);
  EXPECT_EQ(test::sum_of_squares(ref_backend(), x), 80);
  ref_backend()(RowArgmax{.x = x, .index = best.data()});
  EXPECT_EQ(best, (std::vector<int32_t>{1, 0}));
}

}  // namespace
}  // namespace weft::kernels
