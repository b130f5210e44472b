#include "weft/predict/classification/label_probabilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "weft/model_file/classifier.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

TEST(LabelProbabilities, OfOneLabelAreASoftmaxAtTheTemperature) {
  const LabelScores p = probabilities_of({{0, 2, 1000, 0}, 2}, {}, 2);
  EXPECT_THAT(p[0], ElementsAre(FloatNear(1 / (1 + std::exp(1.0f)), 1e-6),
                                FloatNear(1 / (1 + std::exp(-1.0f)), 1e-6)));
  EXPECT_THAT(p[1], ElementsAre(1, 0));
}

TEST(LabelProbabilities, OfSeveralAreSigmoidsAtTheTemperature) {
  models::ClassifierOptions several;
  several.labels.select("several");
  const LabelScores p = probabilities_of({{0, 4, -1000}, 3}, several, 4);
  EXPECT_THAT(p[0], ElementsAre(0.5, FloatNear(1 / (1 + std::exp(-1.0f)), 1e-6), 0));
}

TEST(LabelProbabilities, ChooseTheFirstOfTheHighestOrThoseOverTheThreshold) {
  models::ClassifierOptions one, several, at_least_one;
  several.labels.select("several");
  at_least_one.labels = models::SeveralLabels{{.at_least_one = true}};
  const std::vector<float> p = {0.2f, 0.4f, 0.4f};
  EXPECT_THAT(choose_labels(p, one, 0), ElementsAre(1));
  EXPECT_THAT(choose_labels(p, several, 0.4f), ElementsAre(1, 2));
  EXPECT_THAT(choose_labels(p, several, 0.5), ElementsAre());
  EXPECT_THAT(choose_labels(p, at_least_one, 0.5), ElementsAre(1));
}

}  // namespace
}  // namespace weft::predict
