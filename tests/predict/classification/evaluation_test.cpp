#include "weft/predict/classification/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/classifier.h"

namespace weft::predict {
namespace {

using testing::HasSubstr;

model_file::ClassifierSession untrained_session(const models::LabelKinds& labels) {
  models::ClassifierOptions o;
  o.labels = labels;
  o.encoder.dim_emb = 16;
  return model_file::new_classifier(o,
                                    {data::make_plain_tokeniser(data::Vocabulary({"a"}, "words")),
                                     {data::LabelSet({"x", "y", "z"}, "labels")}},
                                    1);
}

// Six texts of one label; the figures are those of scikit-learn's classification_report.
TEST(LabelEvaluation, OfOneLabelIsThatOfScikitLearn) {
  const LabelScores p{{0.7f, 0.2f, 0.1f, 0.6f, 0.3f, 0.1f, 0.1f, 0.8f, 0.1f, 0.5f, 0.3f, 0.2f, 0.2f,
                       0.2f, 0.6f, 0.1f, 0.1f, 0.8f},
                      3};
  const ExpectedLabels expected = {{0}, {1}, {1}, {0}, {2}, {1}};
  const LabelEvaluation found = evaluate_labels(p, expected, untrained_session({}));
  EXPECT_DOUBLE_EQ(found.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(found.value("micro-f1"), 4.0 / 6);
  // F1 of x: 0.8, of y: 0.5, of z: 2 / 3.
  EXPECT_NEAR(found.value("macro-f1"), (0.8 + 0.5 + 2.0 / 3) / 3, 1e-12);
  const double loss = -(std::log(0.7) + std::log(0.3) + std::log(0.8) + std::log(0.5) +
                        std::log(0.6) + std::log(0.1)) /
                      6;
  EXPECT_NEAR(found.value("cross-entropy"), loss, 1e-6);
  EXPECT_EQ(found.confusion->count(1, 0), 1);
  EXPECT_THAT(
      found.summary(),
      HasSubstr("accuracy 0.6667 (0.3000 to 0.9032 with 95 % confidence), micro F1 0.6667"));
}

TEST(LabelEvaluation, OfSeveralCountsEachDecision) {
  model_file::ClassifierSession session = untrained_session(models::SeveralLabels{});
  session.params.threshold = 0.5;
  const LabelScores p{{0.9f, 0.6f, 0.1f, 0.2f, 0.4f, 0.3f}, 3};
  const LabelEvaluation found = evaluate_labels(p, {{0}, {1}}, session);
  // x right, y given in vain and missed: precision 1 / 2, recall 1 / 2.
  EXPECT_DOUBLE_EQ(found.value("micro-f1"), 0.5);
  EXPECT_DOUBLE_EQ(found.accuracy, 0);
  const double loss = -(std::log(0.9) + std::log(0.4) + std::log(0.9) + std::log(0.8) +
                        std::log(0.4) + std::log(0.7)) /
                      6;
  EXPECT_NEAR(found.cross_entropy.value(), loss, 1e-6);
  EXPECT_FALSE(found.confusion);
}

TEST(LabelEvaluation, FitsTheThresholdToTheTexts) {
  models::ClassifierOptions several;
  several.labels = models::SeveralLabels{};
  const LabelScores logits{{-1, -3, -1.5, -4}, 2};
  const ExpectedLabels expected = {{0}, {0}};
  const model_file::LabelParams params = fit_params(logits, expected, several, false);
  EXPECT_LT(params.threshold, 1 / (1 + std::exp(1.5)));
  EXPECT_GT(params.threshold, 1 / (1 + std::exp(3.0)));
  EXPECT_EQ(params.temperature, 1);
  EXPECT_NE(fit_params(logits, expected, several, true).temperature, 1);
  EXPECT_EQ(fit_params({{3, 0, 3, 0, 3, 0}, 2}, {{0}, {0}, {1}}, {}, false).temperature, 1);
  // Two of three are right: log 2 is the logit of that share, so that 3 / T = log 2.
  EXPECT_NEAR(fit_params({{3, 0, 3, 0, 3, 0}, 2}, {{0}, {0}, {1}}, {}, true).temperature,
              3 / std::log(2), 1e-6);
}

}  // namespace
}  // namespace weft::predict
