#include "weft/nn/attention/pruning.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/nn/attention/multi_head.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr PrunableStack kStacks[] = {{"encoder", 2}, {"decoder", 3, true}};

std::string error(std::vector<std::string> heads, const HeadCounts& counts = {.all = 4}) {
  const PruningOptions options{std::move(heads)};
  return test::message_of<OptionError>([&] { options.check(kStacks, counts); });
}

TEST(PruningOptions, NameTheHeadsOfAnAttention) {
  const PruningOptions options{{"decoder.2.4", "decoder.2.1", "decoder-cross.2.3", "encoder.2.2"}};
  options.check(kStacks, {.all = 4});
  EXPECT_THAT(options.pruned({"decoder", 1, AttentionRole::kSelf}), ElementsAre(0, 3));
  EXPECT_THAT(options.pruned({"decoder", 1, AttentionRole::kCross}), ElementsAre(2));
  EXPECT_THAT(options.pruned({"encoder", 1, AttentionRole::kSelf}), ElementsAre(1));
  EXPECT_THAT(options.pruned({"encoder", 0, AttentionRole::kSelf}), IsEmpty());
}

TEST(PruningOptions, SayWhichNamesAreNoHeads) {
  for (const char* name : {"", "encoder", "encoder.1", "encoder.3.1", "encoder.0.1", "encoder.1.0",
                           "encoder.1.5", "encoder-cross.1.1", "decoder-cross.4.1", "other.1.1",
                           ".1.1", "1.1", "encoder.1.1.1", "encoder.1.a", "encoder.-1.1", "..",
                           "encoder..1", "encoder.1.99999999999999999999", "-cross.1.1"}) {
    EXPECT_EQ(error({"encoder.1.1", name}),
              fmt::format("--prune-heads: '{}' is no head of the model; expected encoder.1.1 to "
                          "encoder.2.4, decoder.1.1 to decoder.3.4, decoder-cross.1.1 to "
                          "decoder-cross.3.4",
                          name));
  }
}

TEST(PruningOptions, NameEachHeadOnceAndNotAllOfThem) {
  EXPECT_EQ(error({"encoder.1.2", "decoder.1.2", "encoder.1.02"}),
            "--prune-heads: 'encoder.1.02' is given twice; expected each head once");
  EXPECT_EQ(error({"decoder-cross.2.1", "decoder-cross.2.2"}, {.all = 2}),
            "--prune-heads: names 2 of the 2 heads of decoder-cross.2; expected one to remain");
  EXPECT_EQ(error({"encoder.2.1"}, {.all = 2, .least = 2}),
            "--prune-heads: names 1 of the 2 heads of encoder.2; expected two to remain");
}

TEST(RemainingHeads, KeepTheirNumbers) {
  EXPECT_THAT(remaining_heads(4, std::vector<int64_t>{0, 2}), ElementsAre(1, 3));
  EXPECT_THAT(remaining_heads(2, {}), ElementsAre(0, 1));
}

TEST(AttentionNamed, IsThatOfAParametersPrefix) {
  EXPECT_EQ(attention_named("model.encoder.layers.12.self_attn"),
            (AttentionKey{"encoder", 12, AttentionRole::kSelf}));
  EXPECT_EQ(attention_named("model.decoder.layers.0.encoder_attn"),
            (AttentionKey{"decoder", 0, AttentionRole::kCross}));
  for (const char* other : {"", "self_attn", "layers.0.fc1", "model.encoder.layers.x.self_attn",
                            "model.encoder.blocks.0.self_attn"}) {
    EXPECT_FALSE(attention_named(other)) << other;
  }
}

TEST(MultiHeadAttention, HasProjectionsOfTheHeadsThatRemain) {
  const AttentionConfig whole{.features = 10, .heads = 4, .key_size = 3, .value_size = 2};
  RngStreams streams, pruned_streams;
  const MultiHeadAttention all(whole, streams), some(whole.without({0, 2, 3}), pruned_streams);
  EXPECT_EQ(some.q_weight.shape, (Shape{3, 10}));
  EXPECT_EQ(some.k_bias.shape, (Shape{1, 3}));
  EXPECT_EQ(some.v_weight.shape, (Shape{2, 10}));
  EXPECT_EQ(some.out_proj.weight.shape, (Shape{10, 2}));
  EXPECT_EQ(some.config.scale, all.config.scale);
  EXPECT_EQ(pruned_streams.taken(), streams.taken());
}

}  // namespace
}  // namespace weft::nn
