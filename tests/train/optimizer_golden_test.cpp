// Weights after ten updates of torch.optim, by tools/golden/optimizers.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "weft/nn/parameters.h"
#include "weft/train/optim/optimizer.h"

namespace weft::train {
namespace {

Tensor row_of(const nlohmann::json& numbers) {
  const auto values = numbers.get<std::vector<float>>();
  return Tensor::from(values, {1, std::ssize(values)});
}

TEST(OptimizerGolden, WeightsAreThoseOfPyTorch) {
  std::ifstream in(test::source_path("tests/golden/optimizers.json"));
  const nlohmann::json golden = nlohmann::json::parse(in);
  ASSERT_GE(golden["cases"].size(), 6);
  nn::Parameter weight({3, 1}, nn::Init::kZeros), bias({1, 3}, nn::Init::kZeros);
  const std::vector<nn::NamedParameter> parameters = {{"weight", &weight}, {"bias", &bias}};
  for (const auto& [name, one] : golden["cases"].items()) {
    SCOPED_TRACE(name);
    OptimizerOptions options;
    test::set(options, one["options"].get<std::string>());
    const Tensor weights = row_of(golden["weights"]), expected = row_of(one["weights"]);
    Optimizer optimizer(options, weights, parameter_ranges(parameters, options.ranges()).trained);
    for (const nlohmann::json& gradient : golden["gradients"]) {
      optimizer.step(row_of(gradient), 1, golden["learn_rate"]);
    }
    for (int64_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(weights.data<float>()[i], expected.data<float>()[i], 2e-6) << i;
    }
  }
}

}  // namespace
}  // namespace weft::train
