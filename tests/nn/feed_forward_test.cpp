// Feed-forward networks against those of Transformers (tools/golden/feed_forward.py).
#include "weft/nn/feed_forward.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/nn/family_golden.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

using test::Json;
using test::matrix;

TEST(FeedForward, IsThatOfLlamaGemmaAndGpt2) {
  const Json golden =
      Json::parse(std::ifstream(test::source_path("tests/golden/feed_forward.json")));
  const std::pair<const char*, FeedForwardOptions> cases[] = {
      {"llama", {.inner = 6, .activation = SiluFeedForward{}, .gated = true, .bias = false}},
      {"gemma", {.inner = 6, .activation = GeluTanhFeedForward{}, .gated = true, .bias = false}},
      {"gpt2", {.inner = 6, .activation = GeluTanhFeedForward{}}},
  };
  for (const auto& [name, options] : cases) {
    SCOPED_TRACE(name);
    const Json& c = golden.at(name);
    const Tensor x = matrix(c.at("x"));
    DropoutSites sites;
    FeedForward module(options, x.cols(), sites);
    const std::vector<NamedParameter> named = parameters_of(module);
    nn::bind(named, DType::kF64);
    ASSERT_EQ(named.size(), c.at("parameters").size());
    for (const auto& [parameter, values] : c.at("parameters").items()) {
      const auto found = std::ranges::find(named, parameter, &NamedParameter::name);
      ASSERT_NE(found, named.end()) << parameter;
      const Tensor given = matrix(values);
      backend_of(given)(kernels::Copy{.x = given, .y = found->parameter->value});
    }
    const Tensor y = module(x, ops::make_rows({{0, static_cast<int32_t>(x.rows())}}), {});
    EXPECT_LE(test::distance(y, matrix(c.at("y"))), 1e-12);
  }
}

TEST(FeedForward, OfOneInnerFeatureIsGatedToo) {
  DropoutSites dropouts;
  FeedForward network({.inner = 1, .gated = true}, 2, dropouts);
  const auto parameters = parameters_of(network);
  bind(parameters);
  initialise(parameters, 1);
  const auto rows = ops::make_rows({{0, 3}});
  Context context;
  EXPECT_EQ(network(Tensor::full({3, 2}, 1), rows, context).shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace weft::nn
