#include "weft/metrics/decisions.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace weft::metrics {
namespace {

const std::vector<float> kScores = {0.7f, 0.3f, 0.4f, 0.6f, 0.0f, 1.0f};

TEST(Decisions, OfOneLabelAreThoseOfTheMostProbable) {
  const std::vector<std::vector<int32_t>> expected = {{0}, {0}, {0}};
  const Decisions found = label_decisions({kScores, 2, expected});
  ASSERT_EQ(found.losses.size(), 3u);
  EXPECT_NEAR(found.losses[1], -std::log(0.4), 1e-6);
  EXPECT_TRUE(std::isfinite(found.losses[2]));
  EXPECT_TRUE(found.confidences[0].is_correct);
  EXPECT_FALSE(found.confidences[1].is_correct);
  EXPECT_FLOAT_EQ(static_cast<float>(found.confidences[1].probability), 0.6f);
  const std::array<int32_t, 2> numbers = {0, 1};
  const Decisions two = found.sample(numbers);
  EXPECT_NEAR(two.cross_entropy(), -(std::log(0.7) + std::log(0.4)) / 2, 1e-6);
  EXPECT_NEAR(two.calibration_error(), (0.3 + 0.6) / 2, 1e-6);
}

TEST(Decisions, OfSeveralLabelsAreOnePerLabel) {
  const std::vector<std::vector<int32_t>> expected = {{0, 1}, {}, {1}};
  const Decisions found = multi_label_decisions({kScores, 2, expected});
  ASSERT_EQ(found.losses.size(), 6u);
  EXPECT_NEAR(found.losses[1], -std::log(0.3), 1e-6);
  EXPECT_NEAR(found.losses[2], -std::log(0.6), 1e-6);
  const std::array<int32_t, 3> numbers = {2, 1, 2};
  const Decisions three = found.sample(numbers);
  EXPECT_NEAR(three.cross_entropy(), -(std::log(0.6) + std::log(0.4)) / 6, 1e-6);
  EXPECT_NEAR(three.calibration_error(), (0.4 + 0.6) / 6, 1e-6);
}

TEST(Decisions, OfNoItemsHaveNoLoss) {
  EXPECT_EQ(Decisions{}.cross_entropy(), 0);
  EXPECT_EQ(Decisions{}.calibration_error(), 0);
}

}  // namespace
}  // namespace weft::metrics
