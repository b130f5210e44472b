// Feed-forward networks against those of Transformers (tools/golden/feed_forward.py).
#include "weft/nn/feed_forward.h"

#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

using test::Json;
using test::matrix;

TEST(FeedForward, IsThatOfLlamaGemmaAndGpt2) {
  const Json golden = test::golden_numbers("feed_forward");
  const std::pair<const char*, FeedForwardOptions> cases[] = {
      {"llama", {.inner = 6, .activation = SiluFeedForward{}, .gated = true, .bias = false}},
      {"gemma", {.inner = 6, .activation = GeluTanhFeedForward{}, .gated = true, .bias = false}},
      {"gpt2", {.inner = 6, .activation = GeluTanhFeedForward{}}},
  };
  for (const auto& [name, options] : cases) {
    SCOPED_TRACE(name);
    const Json& c = golden.at(name);
    const Tensor x = matrix(c.at("x"));
    RngStreams streams;
    FeedForward module(options, x.cols(), streams);
    test::set_parameters(module, c.at("parameters"));
    const Tensor y = module(x, ops::make_layout({{0, static_cast<int32_t>(x.rows())}}), {});
    EXPECT_LE(test::distance(y, matrix(c.at("y"))), 1e-12);
  }
}

TEST(FeedForward, OfOneInnerFeatureIsGatedToo) {
  RngStreams dropouts;
  FeedForward network({.inner = 1, .gated = true}, 2, dropouts);
  const auto parameters = parameters_of(network);
  bind(parameters);
  initialise(parameters, 1);
  const auto rows = ops::make_layout({{0, 3}});
  Context context;
  EXPECT_EQ(network(Tensor::full({3, 2}, 1), rows, context).shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace weft::nn
