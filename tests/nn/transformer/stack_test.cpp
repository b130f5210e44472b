#include "weft/nn/transformer/stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Order = std::vector<size_t>;

TEST(LayerOrder, SaysWhichWeightsEachLayerHas) {
  EXPECT_EQ(layer_order({.depth = 3}), (Order{0, 1, 2}));
  EXPECT_EQ(layer_order({.depth = 3, .tied_layers = {1}}), (Order{0, 0, 0}));
  EXPECT_EQ(layer_order({.depth = 4, .tied_layers = {1, 1, 3, 3}}), (Order{0, 0, 1, 1}));
  EXPECT_EQ(layer_order({.depth = 4, .tied_layers = {1, 2, 1, 2}}), (Order{0, 1, 0, 1}));
}

TEST(LayerOrder, RefusesTiesThatMakeNoSense) {
  const auto order = [](std::vector<int64_t> ties) { layer_order({3, std::move(ties), 0}); };
  EXPECT_THAT(
      [&] {
        order({1, 2});
      },
      ThrowsMessage<OptionError>(
          HasSubstr("expected a number for each of 3 layers, or one for all; got 2")));
  EXPECT_THAT(
      [&] {
        order({1, 3, 3});
      },
      ThrowsMessage<OptionError>(HasSubstr("layer 2 cannot have the weights of 3")));
  EXPECT_THAT(
      [&] {
        order({1, 1, 2});
      },
      ThrowsMessage<OptionError>(HasSubstr("layer 3 cannot have the weights of 2")));
  EXPECT_THAT([&] { order({2}); }, ThrowsMessage<OptionError>(HasSubstr("layer 1 cannot")));
}

BlockOptions small_block() {
  BlockOptions out;
  out.attention = {.features = 8, .heads = 2, .key_size = 4, .value_size = 4};
  out.feed_forward.inner = 12;
  return out;
}

Stack small_stack(const StackOptions& stack, const BlockOptions& block = small_block()) {
  RngStreams dropouts;
  return {stack, block, dropouts};
}

TEST(Stack, KeepsTiedWeightsOnce) {
  const Stack free = small_stack({3, {}, 0}), tied = small_stack({3, {1, 2, 1}, 0});
  EXPECT_EQ(free.layers.size(), 3u);
  EXPECT_EQ(tied.layers.size(), 2u);
  EXPECT_EQ(tied.order, (Order{0, 1, 0}));
}

TEST(Stack, DropsDeeperLayersMoreOften) {
  const Stack stack = small_stack({4, {}, 0.2});
  EXPECT_DOUBLE_EQ(stack.drop_path_at(0), 0.05);
  EXPECT_DOUBLE_EQ(stack.drop_path_at(3), 0.2);
}

// The dropout of residuals (and stochastic depth), of two heads, and of the feed-forward network.
TEST(Stack, NumbersTheDropoutsOfEveryRunOfALayer) {
  BlockOptions decoder = small_block();
  decoder.has_cross_attention = true;
  const auto taken = [](const StackOptions& stack, const BlockOptions& block) {
    RngStreams dropouts;
    Stack(stack, block, dropouts);
    return dropouts.taken();
  };
  EXPECT_EQ(taken({3}, small_block()), 3u * ((1 + 2) + (1 + 1)));
  EXPECT_EQ(taken({.depth = 3, .tied_layers = {1}}, small_block()), 3u * ((1 + 2) + (1 + 1)));
  EXPECT_EQ(taken({.depth = 2, .drop_path = 0.1}, decoder), 2u * ((2 + 2) + (2 + 2) + (2 + 1)));
}

// The states of a stack with parameters in double.
struct BoundStack {
  Stack stack;
  Tensor flat;

  BoundStack(const StackOptions& options, const BlockOptions& block)
      : stack(small_stack(options, block)) {
    const auto named = parameters_of(stack);
    flat = nn::bind(named, DType::kF64);
    initialise(named, 3);
  }
  Tensor operator()(const Tensor& x, const std::vector<int32_t>& offsets,
                    const Memory& memory = {}) const {
    return stack.forward(x, {ops::make_layout({offsets}), {}}, memory, Context());
  }
};

const StackOptions kDecoderOnly = {.depth = 2, .name = "decoder", .causal = true};

TEST(DecoderOnlyStack, HasNoCrossAttention) {
  Stack stack = small_stack(kDecoderOnly);
  EXPECT_FALSE(stack.has_cross_attention());
  EXPECT_EQ(stack.cross_attentions(), 0);
  EXPECT_EQ(stack.cache_layers().size(), 2u);
  for (const NamedParameter& p : parameters_of(stack)) {
    EXPECT_THAT(p.name, testing::Not(HasSubstr("encoder_attn")));
  }
}

TEST(DecoderOnlyStack, DoesNotLookAhead) {
  const BoundStack stack(kDecoderOnly, small_block());
  const Tensor x = test::random_tensor({9, 8}, 1), other = x.clone();
  for (int64_t f = 0; f < 8; ++f) other.data<double>()[6 * 8 + f] += 1;  // row 2 of sequence 1
  const Tensor y = stack(x, {0, 4, 9}), changed = stack(other, {0, 4, 9});
  EXPECT_TRUE(test::same_bits(changed.row_range(0, 6), y.row_range(0, 6)));
  for (int64_t n = 6; n < 9; ++n) {
    EXPECT_GT(test::distance(changed.row_range(n, n + 1), y.row_range(n, n + 1)), 1e-4) << n;
  }
}

TEST(DecoderOnlyStack, DecodesStepByStepWhatItReadsAtOnce) {
  const BoundStack stack(kDecoderOnly, small_block());
  const Tensor x = test::random_tensor({5, 8}, 1), whole = stack(x, {0, 5});
  KvCache cache(stack.stack.cache_layers(), DType::kF64);
  cache.add_sequences(std::vector<int32_t>{0}, {{0, 0}});
  for (int32_t n = 0; n < 5; ++n) {
    cache.begin_step(std::vector<int32_t>{n == 0 ? -1 : 0}, std::vector<int32_t>{1});
    const Tensor y = stack.stack.step(x.row_range(n, n + 1), {cache.rows(), {}}, cache, Context());
    EXPECT_LT(test::distance(y, whole.row_range(n, n + 1)), 1e-12) << n;
  }
}

}  // namespace
}  // namespace weft::nn
