#include "weft/inspect/integrated_gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/ops/activation.h"
#include "weft/ops/reshape.h"
#include "weft/ops/scale.h"

namespace weft::inspect {
namespace {

// F(x) = x[1, 0]^3 of an example x [2, 2].
const CopiesScore kCube{[](const Tensor& x, int64_t copies, const nn::Context& context) {
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

// max(0, x) has a kink, so that the first step size, 1/16, is not enough.
TEST(IntegratedGradients, HalvesStepsUntilTheSumIsThatOfTheScores) {
  int64_t points = 0;
  const CopiesScore kinked{[&](const Tensor& x, int64_t copies, const nn::Context& context) {
                             points += copies;
                             return ops::activate(ops::Activation::kRelu, x, context.tape);
                           },
                           [](int64_t copy) { return copy; }};
  const Tensor x = Tensor::full({1, 1}, 0.1), baseline = Tensor::full({1, 1}, -0.73);
  const Contributions found = integrated_gradients(x, baseline, kinked);
  EXPECT_NEAR(found.sum(), 0.1, 0.0005);
  EXPECT_GT(points, 17);
}

// Where nothing changes there is nothing to distribute.
TEST(IntegratedGradients, OfTheBaselineItselfAreZero) {
  const Tensor x = Tensor::full({2, 2}, 3);
  const Contributions found = integrated_gradients(x, x, kCube);
  EXPECT_EQ(found.sum(), 0);
  EXPECT_EQ(found.score, found.baseline_score);
}

}  // namespace
}  // namespace weft::inspect
