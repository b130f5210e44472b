// Infinities and NaN in fast kernels: training relies on their propagation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/buffer.h"
#include "tests/kernels/sum_of_squares.h"
#include "weft/kernels/activation.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/softmax.h"

namespace weft::kernels {
namespace {

using F32 = test::Buffer<float>;

constexpr float kInfinityF32 = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kWidth = 37;  // whole vectors and a remainder

// One row with `value` inside a whole vector or in the remainder.
class SpecialValues : public testing::TestWithParam<int64_t> {
 protected:
  F32 row(float value) const {
    F32 x = F32::random(1, kWidth, 1);
    x.at(0, GetParam()) = value;
    return x;
  }
};

TEST_P(SpecialValues, MinusInfinityHasNoWeightInASoftmax) {
  F32 x = row(-kInfinityF32), y(1, kWidth);
  cpu_backend()(Softmax{.x = x, .y = y});
  double sum = 0;
  for (int64_t f = 0; f < kWidth; ++f) sum += y.at(0, f);
  EXPECT_EQ(y.at(0, GetParam()), 0);
  EXPECT_NEAR(sum, 1, 1e-6);
}

TEST_P(SpecialValues, ANanOrInfinityMakesTheCrossEntropyNotFinite) {
  for (const float value : {kNan, kInfinityF32}) {
    F32 x = row(value), d_x(1, kWidth);
    const int32_t target = 3;
    double loss = 0, nll = 0;
    cpu_backend()(SoftmaxLoss{
        .x = x, .targets = &target, .smoothing = 0.1, .loss = &loss, .nll = &nll, .d_x = d_x});
    EXPECT_FALSE(std::isfinite(loss));
    EXPECT_FALSE(std::isfinite(nll));
  }
}

TEST_P(SpecialValues, NanPropagatesThroughSmoothActivationsAndNorms) {
  F32 x = row(kNan), y(1, kWidth), gamma = F32::random(1, kWidth, 2);
  for (const Activation kind : {Activation::kGelu, Activation::kGeluTanh, Activation::kSilu,
                                Activation::kTanh, Activation::kSigmoid}) {
    cpu_backend()(Activate{.kind = kind, .x = x, .y = y});
    EXPECT_TRUE(std::isnan(y.at(0, GetParam())));
  }
  cpu_backend()(LayerNorm{.x = x, .gamma = gamma, .beta = gamma, .y = y, .stats = {}});
  EXPECT_TRUE(std::isnan(y.at(0, 0)));
  EXPECT_TRUE(std::isnan(test::sum_of_squares(cpu_backend(), x)));
}

TEST_P(SpecialValues, SmoothActivationsOfLargeNumbersAreTheirLimits) {
  for (const Activation kind : {Activation::kGelu, Activation::kGeluTanh, Activation::kSilu}) {
    F32 low = row(-1000), high = row(1000), y(1, kWidth);
    cpu_backend()(Activate{.kind = kind, .x = low, .y = y});
    EXPECT_NEAR(y.at(0, GetParam()), 0, 1e-30);
    cpu_backend()(Activate{.kind = kind, .x = high, .y = y});
    EXPECT_EQ(y.at(0, GetParam()), 1000);
  }
}

TEST_P(SpecialValues, SaturatingActivationsReachTheirLimits) {
  F32 low = row(-1000), high = row(1000), y(1, kWidth);
  for (const auto& [kind, least] :
       {std::pair{Activation::kTanh, -1.0}, {Activation::kSigmoid, 0.0}}) {
    cpu_backend()(Activate{.kind = kind, .x = low, .y = y});
    EXPECT_NEAR(y.at(0, GetParam()), least, 1e-30);
    cpu_backend()(Activate{.kind = kind, .x = high, .y = y});
    EXPECT_EQ(y.at(0, GetParam()), 1);
  }
}

TEST_P(SpecialValues, ArgmaxIsAlwaysAValidColumn) {
  F32 x = row(kInfinityF32), nothing(1, kWidth);
  int32_t index = -1;
  cpu_backend()(RowArgmax{.x = x, .index = &index});
  EXPECT_EQ(index, GetParam());
  for (const float value : {kNan, -kInfinityF32}) {
    cpu_backend()(Fill{.y = nothing, .value = value});
    cpu_backend()(RowArgmax{.x = nothing, .index = &index});
    EXPECT_EQ(index, 0);
  }
}

TEST(SpecialSums, SquaresBeyondFloatsRangeAreSummedInDouble) {
  F32 x(1, 3, {1e30, 2e30, 2e30});
  EXPECT_NEAR(test::sum_of_squares(cpu_backend(), x) / 9e60, 1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Positions, SpecialValues, testing::Values(0, 17, 36));

}  // namespace
}  // namespace weft::kernels
