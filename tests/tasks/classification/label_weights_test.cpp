#include "weft/tasks/classification/label_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const data::LabelSet kLabels({"a", "b=c", "d"}, "labels");
const LabelFrequencies kFrequencies{{6, 2, 0}, 8};

TEST(LabelWeights, AreOneWhereNothingIsAsked) {
  EXPECT_EQ(label_weights({}, kLabels, kFrequencies, true), nullptr);
}

TEST(LabelWeights, BalancedAreThoseOfScikitLearn) {
  // n / (labels * count); a label without a text counts as if it had one.
  EXPECT_THAT(*label_weights({"balanced"}, kLabels, kFrequencies, true),
              ElementsAre(testing::FloatEq(8.0f / 18), testing::FloatEq(8.0f / 6),
                          testing::FloatEq(8.0f / 3)));
}

TEST(LabelWeights, BalancedOfSeveralAreNegativesToPositives) {
  EXPECT_THAT(*label_weights({"balanced"}, kLabels, kFrequencies, false),
              ElementsAre(testing::FloatEq(2.0f / 6), 3, 7));
  EXPECT_THAT(*label_weights({"balanced"}, kLabels, {{1, 1, 1}, 1000}, false),
              ElementsAre(100, 100, 100));
}

TEST(LabelWeights, AreThoseOfTheLabelsNamed) {
  EXPECT_THAT(*label_weights({"b=c=0.5", "d=3"}, kLabels, kFrequencies, true),
              ElementsAre(1, 0.5, 3));
}

TEST(LabelWeights, NameWhatIsWrong) {
  const auto error = [](const std::string& value) {
    return [=] { label_weights({value}, kLabels, kFrequencies, true); };
  };
  EXPECT_THAT(error("a"), ThrowsMessage<OptionError>(HasSubstr("expected balanced, or LABEL=")));
  EXPECT_THAT(error("x=1"), ThrowsMessage<OptionError>(HasSubstr("'x' is not in the training")));
  EXPECT_THAT(error("a=one"), ThrowsMessage<OptionError>(HasSubstr("a number from 0 to")));
  EXPECT_THAT(error("a=-1"), ThrowsMessage<OptionError>(HasSubstr("a number from 0 to")));
  EXPECT_THAT(error("a=nan"), ThrowsMessage<OptionError>(HasSubstr("a number from 0 to")));
}

}  // namespace
}  // namespace weft::tasks
