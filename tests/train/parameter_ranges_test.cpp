#include "weft/train/parameter_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/train/optim/adam.h"

namespace weft::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Ranges : public testing::Test {
 protected:
  Ranges() { parameters_[2].is_buffer = true; }
  ParameterRanges of(const std::vector<std::string>& frozen) {
    const std::vector<nn::NamedParameter> named = {{"a.weight", &parameters_[0]},
                                                   {"a.bias", &parameters_[1]},
                                                   {"a.running_mean", &parameters_[2]},
                                                   {"b.weight", &parameters_[3]}};
    for (nn::Parameter& p : parameters_) p.is_frozen = false;
    freeze(named, frozen);
    return parameter_ranges(named);
  }
  std::vector<nn::Parameter> parameters_{{{2, 3}, nn::Init::kOnes},
                                         {{1, 3}, nn::Init::kOnes},
                                         {{1, 3}, nn::Init::kOnes},
                                         {{4, 1}, nn::Init::kOnes}};
};

TEST_F(Ranges, MergeAdjacentRangesOfAKind) {
  const ParameterRanges none = of({});
  EXPECT_THAT(none.trained, ElementsAre(Range{0, 9}, Range{12, 16}));
  EXPECT_THAT(none.fixed, ElementsAre(Range{9, 12}));
  EXPECT_EQ(none.frozen, 0);
  const ParameterRanges first = of({"a.*"});
  EXPECT_THAT(first.trained, ElementsAre(Range{12, 16}));
  EXPECT_THAT(first.fixed, ElementsAre(Range{0, 12}));
  EXPECT_EQ(first.frozen, 12);
  EXPECT_THAT(of({"?.weight"}).trained, ElementsAre(Range{6, 9}));
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

TEST(Adam, ChangesOnlyItsRanges) {
  OptimizerOptions options;
  options.optimizer = "adamw";
  options.exponential_smoothing = 0.1;
  const Tensor weights = Tensor::full({1, 6}, 2), gradient = Tensor::full({1, 6}, 1);
  Adam whole(options, weights);
  whole.step(gradient, 1, 0.1);
  const Tensor part = Tensor::full({1, 6}, 2);
  Adam adam(options, part);
  adam.restrict_to({{0, 1}, {4, 6}});
  adam.step(gradient, 1, 0.1);
  for (const int64_t i : {0, 4, 5}) {
    EXPECT_EQ(part.data<float>()[i], weights.data<float>()[i]) << i;
  }
  for (const int64_t i : {1, 2, 3}) EXPECT_EQ(part.data<float>()[i], 2) << i;
}

}  // namespace
}  // namespace weft::train
