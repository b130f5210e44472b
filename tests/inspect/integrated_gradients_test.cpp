#include "weft/inspect/integrated_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rms_norm.h"
#include "weft/ops/scale.h"

namespace weft::inspect {
namespace {

// F(x) = x[1, 0]^3 of an example x [2, 2].
const BatchedScore kCube{[](const Tensor& x, int64_t copies, const nn::Context& context) {
                           const Tensor flat = ops::reshape(x, {copies, 4}, context.tape);
                           return ops::multiply(ops::multiply(flat, flat, context.tape), flat,
                                                context.tape);
                         },
                         [](int64_t copy) { return 4 * copy + 2; }};

TEST(IntegratedGradients, BelongToTheRowThatTheScoreReads) {
  const Tensor x = Tensor::from(std::vector<float>{5, 6, 2, 7}, {2, 2});
  const Tensor baseline = Tensor::from(std::vector<float>{0, 1, -1, 0}, {2, 2});
  const Contributions found = integrated_gradients(x, baseline, kCube);
  EXPECT_NEAR(found.score, 8, 1e-6);
  EXPECT_NEAR(found.baseline_score, -1, 1e-6);
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_EQ(found.rows[0], 0);
  EXPECT_NEAR(found.rows[1], 9, 0.005 * 9);  // the integral of 3 t^2 from -1 to 2
}

// max(0, x) has a kink, so that the first points are not enough.
TEST(IntegratedGradients, AddsPointsUntilTheSumIsThatOfTheScores) {
  int64_t points = 0;
  const BatchedScore kinked{[&](const Tensor& x, int64_t copies, const nn::Context& context) {
                              points += copies;
                              return ops::activate(ops::Activation::kRelu, x, context.tape);
                            },
                            [](int64_t copy) { return copy; }};
  const Tensor x = Tensor::full({1, 1}, 0.1), baseline = Tensor::full({1, 1}, -0.73);
  const Contributions found = integrated_gradients(x, baseline, kinked);
  EXPECT_NEAR(found.sum(), 0.1, 0.0005);
  EXPECT_GT(points, 17);
}

// A norm with a small epsilon: nearly the whole score is reached at 0.1 % of the path.
TEST(IntegratedGradients, SumToTheScoreOfANorm) {
  const Tensor gamma = Tensor::full({1, 2}, 4);
  const BatchedScore norm{[&](const Tensor& x, int64_t, const nn::Context& context) {
                            return ops::rms_norm(x, {gamma, 1e-8}, context.tape);
                          },
                          [](int64_t copy) { return 2 * copy; }};
  const Tensor x = Tensor::from(std::vector<float>{1, 0.5}, {1, 2});
  const Contributions found = integrated_gradients(x, Tensor::zeros({1, 2}), norm);
  EXPECT_NEAR(found.score, 4 * std::sqrt(1.6), 1e-4);
  EXPECT_NEAR(found.sum(), found.score, 0.005 * found.score);
  EXPECT_TRUE(found.is_complete);
}

// relu(x) + [x > 0.3]: the gradients know nothing of the step.
TEST(IntegratedGradients, SayWhereAScoreThatJumpsIsNotReached) {
  int64_t points = 0;
  const BatchedScore stepped{
      [&](const Tensor& x, int64_t copies, const nn::Context& context) {
        points += copies;
        const Tensor step = Tensor::zeros(x.shape());
        for (int64_t i = 0; i < copies; ++i) {
          step.data<float>()[i] = x.data<float>()[i] > 0.3F ? 1 : 0;
        }
        return ops::add(ops::activate(ops::Activation::kRelu, x, context.tape), step, context.tape);
      },
      [](int64_t copy) { return copy; }};
  const Contributions found =
      integrated_gradients(Tensor::full({1, 1}, 1), Tensor::zeros({1, 1}), stepped);
  EXPECT_NEAR(found.score, 2, 1e-6);
  EXPECT_NEAR(found.sum(), 1, 0.01);
  EXPECT_FALSE(found.is_complete);
  EXPECT_LT(points, 100);  // points beside the step help no more
}

// Where nothing changes there is nothing to distribute.
TEST(IntegratedGradients, OfTheBaselineItselfAreZero) {
  const Tensor x = Tensor::full({2, 2}, 3);
  const Contributions found = integrated_gradients(x, x, kCube);
  EXPECT_EQ(found.sum(), 0);
  EXPECT_EQ(found.score, found.baseline_score);
  EXPECT_TRUE(found.is_complete);
}

}  // namespace
}  // namespace weft::inspect
