#include "weft/train/optim/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/process_memory.h"
#include "weft/options/option_table.h"

namespace weft::train {
namespace {

// Adam as in the paper, in double, for one weight.
struct Reference {
  double weight, first = 0, second = 0, average;
  explicit Reference(double w) : weight(w), average(w) {}
  void step(double gradient, int t, double decay) {
    first = 0.9 * first + 0.1 * gradient;
    second = 0.98 * second + 0.02 * gradient * gradient;
    const double m = first / (1 - std::pow(0.9, t)), v = second / (1 - std::pow(0.98, t));
    weight -= 0.01 * (m / (std::sqrt(v) + 1e-9) + decay * weight);
    average += 0.1 * (weight - average);
  }
};

TEST(Adam, FollowsThePaper) {
  for (const char* kind : {"adam", "adamw"}) {
    OptimizerOptions options;
    options.kind.select(kind);
    options.kind.get<AdamW>().decay.rate = 0.05;
    options.exponential_smoothing = 0.1;
    const Tensor weights = Tensor::from(std::vector<float>{1, -2, 0.5}, {3});
    Optimizer adam(options, weights);
    std::vector<Reference> expected = {Reference(1), Reference(-2), Reference(0.5)};
    for (int t = 1; t <= 5; ++t) {
      std::vector<float> gradient(3);
      for (int i = 0; i < 3; ++i) gradient[i] = static_cast<float>(std::sin(t * 3 + i));
      adam.step(Tensor::from(gradient, {3}), 0.5, 0.01);
      for (int i = 0; i < 3; ++i) {
        expected[i].step(0.5 * gradient[i], t, std::string(kind) == "adamw" ? 0.05 : 0);
        EXPECT_NEAR(weights.data<float>()[i], expected[i].weight, 1e-6) << kind << " step " << t;
        EXPECT_NEAR(adam.averaged_weights().data<float>()[i], expected[i].average, 1e-6) << kind;
      }
    }
    EXPECT_EQ(adam.steps, 5);
  }
}

// Of 128 MiB each, as of a table of embeddings most of whose tokens never occur.
TEST(Adam, TakesMemoryForMomentsOnlyWhereThereWereGradients) {
  constexpr int64_t kSize = int64_t{1} << 25;
  const Tensor weights = Tensor::zeros_on_demand({kSize});
  const Tensor gradient = Tensor::zeros_on_demand({kSize});
  gradient.data<float>()[kSize / 2] = 1;
  Optimizer adam({}, weights);
  const int64_t before = process_memory().resident_bytes;
  for (int t = 0; t < 2; ++t) adam.step(gradient, 1, 0.01);
  EXPECT_LT(weights.data<float>()[kSize / 2], 0);
  EXPECT_LT(process_memory().resident_bytes - before, 32 << 20);
}

TEST(Adam, WithoutAnEmaReturnsTheWeights) {
  const Tensor weights = Tensor::from(std::vector<float>{1}, {1});
  const Optimizer adam({}, weights);
  EXPECT_TRUE(adam.averaged_weights().shares_storage_with(weights));
}

// The window grows with the training: the mean of all weights for a share of 1.
TEST(Adam, AveragesOverAShareOfTheUpdates) {
  OptimizerOptions options;
  options.average_share = 1;
  const Tensor weights = Tensor::from(std::vector<float>{1}, {1});
  Optimizer adam(options, weights);
  double sum = 0;
  for (int t = 1; t <= 6; ++t) {
    adam.step(Tensor::from(std::vector<float>{static_cast<float>(t)}, {1}), 1, 0.1);
    sum += weights.data<float>()[0];
    EXPECT_NEAR(adam.averaged_weights().data<float>()[0], sum / t, 1e-6) << t;
  }
  options.average_share = 0.25;
  for (const int64_t t : {1, 2, 4}) EXPECT_EQ(options.smoothing(t), 1) << t;
  EXPECT_DOUBLE_EQ(options.smoothing(40), 0.1);
}

TEST(Adam, MovesLongAveragesAtEveryFewUpdates) {
  OptimizerOptions options;
  options.exponential_smoothing = 0.01;
  const Tensor weights = Tensor::from(std::vector<float>{1}, {1});
  Optimizer adam(options, weights);
  for (int t = 1; t <= 16; ++t) {
    const float before = adam.averaged_weights().data<float>()[0];
    adam.step(Tensor::from(std::vector<float>{1}, {1}), 1, 0.1);
    const double by = t % 8 == 0 ? 1 - std::pow(0.99, 8) : 0;
    EXPECT_FLOAT_EQ(adam.averaged_weights().data<float>()[0],
                    static_cast<float>(before + by * (weights.data<float>()[0] - before)));
  }
}

// No update is counted twice or left out where the distance between moves grows.
TEST(Adam, MovesAnAverageOverAShareAsFarAsSingleStepsWould) {
  for (const double share : {0.2, 0.25, 0.37, 1.0}) {
    OptimizerOptions options;
    options.average_share = share;
    const auto first = static_cast<int64_t>(1 / share) + 1;
    double kept = 1, wanted = 1;
    int64_t moves = 0;
    for (int64_t t = first; t <= 640; ++t) {
      kept *= 1 - options.smoothing(t);
      wanted *= 1 - 1 / (share * static_cast<double>(t));
      if (options.smoothing(t) == 0) continue;
      EXPECT_NEAR(kept, wanted, 1e-9) << share << " " << t;
      ++moves;
    }
    EXPECT_LT(moves, 320);
  }
}

TEST(Adam, RefusesTwoAverages) {
  OptimizerOptions options;
  options.average_share = 0.1;
  EXPECT_NO_THROW(options.validate());
  options.exponential_smoothing = 0.1;
  EXPECT_THROW(options.validate(), OptionError);
}

TEST(Adam, RefusesInvalidBetas) {
  OptimizerOptions options;
  options.kind.get<Adam>().params = {0.9, 0.98};
  EXPECT_THROW(options.validate(), OptionError);
  options.kind.get<Adam>().params = {1, 0.98, 1e-9};
  EXPECT_THROW(options.validate(), OptionError);
}

TEST(Adam, RefusesAnEpsilonThatIsZeroInFloat32) {
  OptimizerOptions options;
  options.kind.get<Adam>().params = {0.9, 0.98, 1e-300};
  EXPECT_THROW(options.validate(), OptionError);
  options.kind.get<Adam>().params = {0.9, 0.98, 1e-30};
  EXPECT_NO_THROW(options.validate());
}

TEST(Adam, HasNoWeightDecay) {
  OptimizerOptions options;
  options::OptionTable table;
  table.add(options);
  table.assign({"weight-decay", {"0.1"}, "--weight-decay"});
  EXPECT_THROW(table.check_scopes(), OptionError);
  table.assign({"optimizer", {"adamw"}, "--optimizer"});
  EXPECT_NO_THROW(table.check_scopes());
  EXPECT_EQ(options.kind.get<AdamW>().decay.rate, 0.1);
}

class ChosenRanges : public testing::Test {
 protected:
  ChosenRanges() { options_.kind = AdamW(), options_.exponential_smoothing = 0.1; }
  // One update from weights of 2 with gradients of 1.
  Tensor stepped(const std::vector<TrainedRange>& ranges, double rate = 0.1) const {
    const Tensor weights = Tensor::full({1, 6}, 2);
    Optimizer optimizer(options_, weights, ranges);
    optimizer.step(Tensor::full({1, 6}, 1), 1, rate);
    return weights;
  }
  static float at(const Tensor& x, int64_t i) { return x.data<float>()[i]; }

  OptimizerOptions options_;
};

TEST_F(ChosenRanges, AreAllThatChanges) {
  const Tensor whole = stepped({});
  const Tensor part = stepped({{.range = {0, 1}}, {.range = {4, 6}}});
  for (const int64_t i : {0, 4, 5}) EXPECT_EQ(at(part, i), at(whole, i)) << i;
  for (const int64_t i : {1, 2, 3}) EXPECT_EQ(at(part, i), 2) << i;
}

TEST_F(ChosenRanges, DecayAndLearnAtRatesOfTheirOwn) {
  const Tensor part = stepped({{.range = {0, 2}},
                               {.range = {2, 4}, .decays = false},
                               {.range = {4, 6}, .rate_factor = 0.5}});
  const Tensor half = stepped({}, 0.05);
  options_.kind = Adam();
  const Tensor plain = stepped({});
  EXPECT_EQ(at(part, 3), at(plain, 3));
  EXPECT_EQ(at(part, 5), at(half, 5));
  EXPECT_LT(at(part, 1), at(part, 3));
}

TEST_F(ChosenRanges, AloneHaveMoments) {
  const Tensor weights = Tensor::full({1, 6}, 2);
  Optimizer optimizer(options_, weights, {{.range = {0, 1}}, {.range = {4, 6}}});
  ASSERT_EQ(optimizer.moments().size(), 2);
  const Optimizer::Moment first = optimizer.moments().front();
  EXPECT_EQ(first.name, "adam.first");
  EXPECT_EQ(first.values.size(), 3);
  const auto values = [&] {
    const auto* x = first.values.data<float>();
    return std::vector<float>(x, x + 3);
  };
  optimizer.restore(first, Tensor::from(std::vector<float>{1, 2, 3}, {1, 3}));
  EXPECT_THAT(values(), testing::ElementsAre(1, 2, 3));
  // Of all parameters, as earlier versions wrote them.
  optimizer.restore(first, Tensor::from(std::vector<float>{9, 8, 7, 6, 5, 4}, {1, 6}));
  EXPECT_THAT(values(), testing::ElementsAre(9, 5, 4));
  EXPECT_THROW(optimizer.restore(first, Tensor::full({1, 4}, 0)), ShapeError);
}

}  // namespace
}  // namespace weft::train
