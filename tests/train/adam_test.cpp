#include "weft/train/optim/adam.h"

#include <gtest/gtest.h>

#include <cmath>

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
    options.optimizer = kind;
    if (options.optimizer == "adamw") options.weight_decay = 0.05;
    options.exponential_smoothing = 0.1;
    const Tensor weights = Tensor::from(std::vector<float>{1, -2, 0.5}, {3});
    Adam adam(options, weights);
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

TEST(Adam, WithoutAnEmaReturnsTheWeights) {
  const Tensor weights = Tensor::from(std::vector<float>{1}, {1});
  const Adam adam({}, weights);
  EXPECT_TRUE(adam.averaged_weights().shares_storage_with(weights));
}

// The window grows with the training: the mean of all weights for a share of 1.
TEST(Adam, AveragesOverAShareOfTheUpdates) {
  OptimizerOptions options;
  options.average_share = 1;
  const Tensor weights = Tensor::from(std::vector<float>{1}, {1});
  Adam adam(options, weights);
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

TEST(Adam, RefusesTwoAverages) {
  OptimizerOptions options;
  options.average_share = 0.1;
  EXPECT_NO_THROW(options.validate());
  options.exponential_smoothing = 0.1;
  EXPECT_THROW(options.validate(), OptionError);
}

TEST(Adam, RefusesInvalidBetas) {
  OptimizerOptions options;
  options.optimizer_params = {0.9, 0.98};
  EXPECT_THROW(options.validate(), OptionError);
  options.optimizer_params = {1, 0.98, 1e-9};
  EXPECT_THROW(options.validate(), OptionError);
}

TEST(Adam, RefusesAnEpsilonThatIsZeroInFloat32) {
  OptimizerOptions options;
  options.optimizer_params = {0.9, 0.98, 1e-300};
  EXPECT_THROW(options.validate(), OptionError);
  options.optimizer_params = {0.9, 0.98, 1e-30};
  EXPECT_NO_THROW(options.validate());
}

TEST(Adam, RefusesWeightDecayWithoutAdamw) {
  OptimizerOptions options;
  options.weight_decay = 0.1;
  EXPECT_THROW(options.validate(), OptionError);
  options.optimizer = "adamw";
  EXPECT_NO_THROW(options.validate());
}

}  // namespace
}  // namespace weft::train
