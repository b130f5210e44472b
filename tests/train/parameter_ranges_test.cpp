#include "weft/train/parameter_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Ranges : public testing::Test {
 protected:
  Ranges() { parameters_[2].is_buffer = true; }
  ParameterRanges of(const std::vector<std::string>& frozen, const RangeOptions& options = {}) {
    const std::vector<nn::NamedParameter> named = {{"a.weight", &parameters_[0]},
                                                   {"a.bias", &parameters_[1]},
                                                   {"a.running_mean", &parameters_[2]},
                                                   {"b.weight", &parameters_[3]}};
    for (nn::Parameter& p : parameters_) p.is_frozen = false;
    freeze(named, frozen);
    return parameter_ranges(named, options);
  }
  std::vector<nn::Parameter> parameters_{{{2, 3}, nn::Init::kOnes},
                                         {{1, 3}, nn::Init::kOnes},
                                         {{1, 3}, nn::Init::kOnes},
                                         {{4, 1}, nn::Init::kOnes}};
};

TEST_F(Ranges, MergeAdjacentRangesOfAKind) {
  const ParameterRanges none = of({});
  EXPECT_THAT(none.trained, ElementsAre(TrainedRange{{0, 9}}, TrainedRange{{12, 16}}));
  EXPECT_THAT(none.fixed, ElementsAre(Range{9, 12}));
  EXPECT_EQ(none.frozen, 0);
  const ParameterRanges first = of({"a.*"});
  EXPECT_THAT(first.trained, ElementsAre(TrainedRange{{12, 16}}));
  EXPECT_THAT(first.fixed, ElementsAre(Range{0, 12}));
  EXPECT_EQ(first.frozen, 12);
  EXPECT_THAT(of({"?.weight"}).trained, ElementsAre(TrainedRange{{6, 9}}));
  EXPECT_THAT([&] { of({"?.weight", "*bias"}); }, testing::Throws<OptionError>());
}

TEST_F(Ranges, RefusePatternsThatFreezeNothingOrAll) {
  EXPECT_THAT(
      [&] {
        of({"a.*", "c.*"});
      },
      ThrowsMessage<OptionError>(HasSubstr("'c.*' matches no parameter")));
  EXPECT_THAT([&] { of({"*"}); }, ThrowsMessage<OptionError>(HasSubstr("freezes all parameters")));
}

// By default weight decay leaves out norms, biases and embeddings.
TEST_F(Ranges, TellWhatDecays) {
  parameters_[3].is_embedding = true;
  EXPECT_THAT(of({}, {.decays_all = false}).trained,
              ElementsAre(TrainedRange{{0, 6}}, TrainedRange{{6, 9}, false},
                          TrainedRange{{12, 16}, false}));
}

TEST_F(Ranges, HaveRatesByPatternsOfWhichTheLastCounts) {
  const std::vector<std::string> factors = {"*=0.5", "a.*=2", "a.bias=0.5"};
  EXPECT_THAT(of({}, {.rate_factors = factors}).trained,
              ElementsAre(TrainedRange{{0, 6}, true, 2}, TrainedRange{{6, 9}, true, 0.5},
                          TrainedRange{{12, 16}, true, 0.5}));
}

TEST_F(Ranges, RefuseRatesThatAreNone) {
  for (const std::string bad :
       {"a.*", "a.*=", "a.*=x", "a.*=-1", "a.*=nan", "a.*=inf", "=1", "c=1"}) {
    const std::vector<std::string> factors = {bad};
    EXPECT_THAT([&] { of({}, {.rate_factors = factors}); },
                ThrowsMessage<OptionError>(HasSubstr("--learn-rate-factors")))
        << bad;
  }
}

}  // namespace
}  // namespace weft::train
