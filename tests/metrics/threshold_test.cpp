#include "weft/metrics/threshold.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/metrics/labels_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/metrics/multi_label.h"

namespace weft::metrics {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using weft::test::message_of;
using Ids = std::vector<int32_t>;

// Micro F1 of the labels selected by a rule.
double micro_f1(const ScoredItems& items, const ThresholdParams& params) {
  MultiLabelF1 score(static_cast<int32_t>(items.labels));
  for (size_t i = 0; i < items.expected.size(); ++i) {
    score.add(items.expected[i],
              labels_above(items.scores.subspan(i * items.labels, items.labels), params));
  }
  return score.report(std::vector<std::string>(static_cast<size_t>(items.labels))).micro.f1;
}

TEST(Threshold, IsOptimal) {
  const auto& c = test::golden().at("threshold");
  const auto scores = c.at("scores").get<std::vector<float>>();
  const auto expected = c.at("expected").get<std::vector<Ids>>();
  const ScoredItems items{scores, c.at("labels").get<int64_t>(), expected};
  for (const bool at_least_one : {false, true}) {
    SCOPED_TRACE(at_least_one);
    const auto& best = c.at("best").at(at_least_one ? "true" : "false");
    const TunedThreshold got = tune_threshold(items, at_least_one);
    EXPECT_NEAR(got.micro_f1, best.at("micro_f1").get<double>(), test::kTolerance);
    const double highest = best.at("highest").get<double>();
    EXPECT_LT(got.value, highest);
    EXPECT_GT(got.value, best.at("next").get<double>());
    EXPECT_EQ(micro_f1(items, {got.value, at_least_one}), got.micro_f1);
  }
}

TEST(Threshold, IsTheHighestOnTies) {
  const std::vector<float> scores{0.9f, 0.6f, 0.4f, 0.2f};  // right, wrong, wrong, right
  const std::vector<Ids> expected{{0, 3}};
  // 1 of 1 correct and 2 of 4 correct both give 2 / 3.
  EXPECT_DOUBLE_EQ(tune_threshold({scores, 4, expected}).value, (double{0.9f} + 0.6f) / 2);
  const std::vector<Ids> all{{0, 1, 2, 3}}, none{{}};
  EXPECT_EQ(tune_threshold({scores, 4, all}).value, 0.2f);
  EXPECT_GT(tune_threshold({scores, 4, none}).value, 0.9f);
}

TEST(Threshold, AlwaysSelectsTheBestLabelIfAtLeastOne) {
  const std::vector<float> scores{0.3f, 0.4f, 0.4f};
  EXPECT_THAT(labels_above(scores, {0.5, true}), ElementsAre(1));
  EXPECT_THAT(labels_above(scores, {0.5, false}), IsEmpty());
  EXPECT_THAT(labels_above(scores, {0.4f, false}), ElementsAre(1, 2));
  EXPECT_THAT(labels_above({}, {0.5, true}), IsEmpty());
  const std::vector<Ids> expected{{1}};
  const TunedThreshold tuned = tune_threshold({scores, 3, expected}, true);
  EXPECT_EQ(tuned.micro_f1, 1);
  EXPECT_GT(tuned.value, 0.4f);
}

TEST(Threshold, RefusesInvalidInput) {
  const std::vector<float> scores{0.5f, std::numeric_limits<float>::quiet_NaN()};
  const std::vector<Ids> one{{0}}, two{{0}, {1}};
  EXPECT_EQ(message_of<FormatError>([&] {
              tune_threshold({scores, 2, two});
            }),
            "threshold: 2 scores; expected 2 for each of 2 items");
  EXPECT_EQ(message_of<FormatError>([&] {
              tune_threshold({scores, 0, {}});
            }),
            "threshold: 2 scores; expected 0 for each of 0 items");
  EXPECT_EQ(message_of<NumericError>([&] {
              tune_threshold({scores, 2, one});
            }),
            "threshold: a score is nan");
  const std::vector<float> good{0.5f};
  EXPECT_EQ(message_of<FormatError>([&] {
              tune_threshold({good, 1, std::vector<Ids>{{1}}});
            }),
            "threshold: label 1; expected 0 to 0");
}

}  // namespace
}  // namespace weft::metrics
