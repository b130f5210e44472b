#include "weft/models/tag_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

const std::vector<std::string> kChunks = {"O", "B-X", "I-X"};

LabelColumn column_of(const char* crf, const std::vector<std::string>& labels,
                      bool is_of_text = false) {
  TaggerOptions o;
  o.crf.select(crf);
  return label_columns(o, {labels}, is_of_text ? 0 : 1).front();
}

TEST(LabelColumns, HaveACrfWhereItIsAskedFor) {
  EXPECT_FALSE(column_of("none", kChunks).has_crf);
  EXPECT_TRUE(column_of("spans", kChunks).has_crf);
  EXPECT_TRUE(column_of("spans", {"O", "B-X", "E-X", "S-X"}).has_crf);
  EXPECT_FALSE(column_of("spans", {"NOUN", "VERB"}).has_crf);
  EXPECT_TRUE(column_of("all", {"NOUN", "VERB"}).has_crf);
  EXPECT_FALSE(column_of("all", kChunks, true).has_crf);
  EXPECT_EQ(column_of("all", {"NOUN", "VERB"}).allowed, nullptr);
  EXPECT_THAT(column_of("all", kChunks).allowed->start, ElementsAre(1, 1, 0));
}

TEST(BestLabels, AreTheMostProbableOfEachRow) {
  ColumnScores scores;
  scores.emissions = Tensor::from(std::vector<float>{0, 1, 0, 2, 0, 2}, {2, 3});
  const PredictedLabels found =
      best_labels(scores, column_of("none", kChunks), ops::make_layout({{0, 2}}), true);
  EXPECT_THAT(found.labels, ElementsAre(1, 0));
  const double e = std::exp(1.0), f = std::exp(2.0);
  EXPECT_THAT(found.probabilities,
              ElementsAre(FloatNear(static_cast<float>(e / (e + 2)), 1e-6F),
                          FloatNear(static_cast<float>(f / (1 + 2 * f)), 1e-6F)));
}

// I-X has the highest score of the first word, and may not stand there.
TEST(BestLabels, OfACrfAreThoseThatMayFollowEachOther) {
  const LabelColumn column = column_of("spans", kChunks);
  const ColumnScores scores{.emissions = Tensor::from(std::vector<float>{0, 1, 5, 0, 0, 3}, {2, 3}),
                            .transitions = Tensor::zeros({3, 3}),
                            .start = Tensor::zeros({1, 3}),
                            .end = Tensor::zeros({1, 3})};
  const auto rows = ops::make_layout({{0, 2}});
  const PredictedLabels found = best_labels(scores, column, rows, true);
  EXPECT_THAT(found.labels, ElementsAre(1, 2));
  // Labellings: O O, O B, B O, B B, B I.
  const double b = std::exp(1.0), i = std::exp(3.0), all = 2 + 2 * b + b * i;
  EXPECT_THAT(found.probabilities,
              ElementsAre(FloatNear(static_cast<float>((2 * b + b * i) / all), 1e-5F),
                          FloatNear(static_cast<float>(b * i / all), 1e-5F)));
  EXPECT_TRUE(best_labels(scores, column, rows, false).probabilities.empty());
}

TEST(MeanScores, AreOfProbabilitiesOrOfACrfsScores) {
  const auto rows = ops::make_layout({{0, 1}});
  const auto of = [&](std::vector<float> plain, std::vector<float> crf) {
    TagScores out{rows, {}};
    out.columns.emplace_back().emissions = Tensor::from(plain, {1, 2});
    out.columns.push_back({.emissions = Tensor::from(crf, {1, 2}),
                           .transitions = Tensor::full({2, 2}, crf[0]),
                           .start = Tensor::from(crf, {1, 2}),
                           .end = Tensor::from(crf, {1, 2})});
    return out;
  };
  // Scores of the first column that differ by a number alone are the same probabilities.
  const std::vector<TagScores> all = {of({0, 1}, {4, 0}), of({100, 101}, {0, 2})};
  const TagScores mean = mean_scores(all);
  const double low = -std::log(1 + std::exp(1.0));
  EXPECT_NEAR(test::values(mean.columns[0].emissions)[0], low, 1e-5);
  EXPECT_NEAR(test::values(mean.columns[0].emissions)[1], low + 1, 1e-5);
  EXPECT_THAT(test::values(mean.columns[1].emissions), ElementsAre(2, 1));
  EXPECT_THAT(test::values(mean.columns[1].transitions), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(test::values(mean.columns[1].end), ElementsAre(2, 1));
}

}  // namespace
}  // namespace weft::models
