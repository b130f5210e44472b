// Options of the model that contradict each other are refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/models/seq2seq.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Seq2SeqOptions small() {
  Seq2SeqOptions o;
  o.enc_depth = o.dec_depth = 1;
  o.dim_emb = 12;
  o.heads = 4;
  o.dim_ffn = 8;
  return o;
}

// What the model says of the small one changed so; nothing where it takes it.
template <class Change>
std::string answer(Change change) {
  Seq2SeqOptions options = small();
  change(options);
  try {
    Seq2Seq(options, {.source_vocab = 5, .target_vocab = 5, .begin_id = 1, .end_id = 0});
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(Seq2SeqOptions, RefusePositionsThatDoNotFit) {
  EXPECT_THAT(answer([](auto& o) { o.position = "rotary-2d"; }),
              HasSubstr("--position: rotary-2d turns by a row and a column, and text has neither"));
  EXPECT_THAT(answer([](auto& o) { o.position = "rotary"; }),
              HasSubstr("expected an even size of a head's keys, got 3"));
  EXPECT_EQ(answer([](auto& o) { o.position = "rotary", o.dim_key = 4; }), "");
  EXPECT_THAT(answer([](auto& o) { o.position = "relative", o.relative_max_distance = 16; }),
              HasSubstr("--relative-max-distance: expected more than half of --relative-buckets"));
  for (const std::string position : {"rotary", "relative", "alibi"}) {
    EXPECT_THAT(answer([&](auto& o) { o = {}, o.type = "cnn", o.position = position; }),
                HasSubstr("--position: " + position +
                          " acts in self-attention, which --type cnn has none of; expected none, "
                          "index, sinusoidal or learned"));
  }
  for (const char* position : {"none", "index", "sinusoidal", "learned"}) {
    EXPECT_EQ(answer([&](auto& o) { o = {}, o.type = "cnn", o.position = position; }), "");
  }
}

TEST(Seq2SeqOptions, RefuseSymbolsThatTheVocabularyHasNot) {
  const auto make = [](int64_t begin, int64_t end) {
    Seq2Seq(small(), {.source_vocab = 9, .target_vocab = 5, .begin_id = begin, .end_id = end});
  };
  EXPECT_NO_THROW(make(4, 4));
  EXPECT_THAT([&] { make(5, 0); },
              ThrowsMessage<OptionError>(
                  HasSubstr("model: begin id 5 and end id 0 must be below the vocabulary size 5")));
  EXPECT_THAT([&] { make(1, 5); },
              ThrowsMessage<OptionError>(
                  HasSubstr("model: begin id 1 and end id 5 must be below the vocabulary size 5")));
}

TEST(Seq2SeqOptions, RefuseWhatBelongsToOtherPositions) {
  EXPECT_THAT(answer([](auto& o) { o.rotary_base = 500000; }),
              HasSubstr("--rotary-base: belongs to --position rotary; got it with sinusoidal"));
  EXPECT_THAT(answer([](auto& o) { o.position_scale = 2; }),
              HasSubstr("--position-scale: belongs to --position index"));
  EXPECT_THAT(answer([](auto& o) { o.relative_buckets = 8; }),
              HasSubstr("--relative-buckets: belongs to --position relative"));
  EXPECT_THAT(answer([](auto& o) { o.relative_max_distance = 64; }),
              HasSubstr("--relative-max-distance: belongs to --position relative"));
  EXPECT_EQ(answer([](auto& o) { o.position = "index", o.position_scale = 2; }), "");
}

TEST(Seq2SeqOptions, RefuseTheWidthOfNoPrior) {
  EXPECT_THAT(answer([](auto& o) { o.attention_prior_width = 2; }),
              HasSubstr("--attention-prior-width: needs --attention-prior diagonal or monotonic"));
  EXPECT_THAT(answer([](auto& o) { o.attention_prior_ratio = 2; }),
              HasSubstr("--attention-prior-ratio: needs --attention-prior diagonal or monotonic"));
  EXPECT_EQ(answer([](auto& o) { o.attention_prior = "monotonic", o.attention_prior_width = 2; }),
            "");
}

TEST(Seq2SeqOptions, RefuseWhatBelongsToAnotherKindOfAttention) {
  EXPECT_THAT(answer([](auto& o) { o.attention = "local"; }),
              HasSubstr("--attention: local needs --attention-window; expected at least 1"));
  EXPECT_THAT(answer([](auto& o) { o.attention = "block-sparse"; }),
              HasSubstr("block-sparse needs --attention-block"));
  EXPECT_THAT(answer([](auto& o) { o.attention_window = 3; }),
              HasSubstr("--attention-window: belongs to --attention local; got it with full"));
  EXPECT_THAT(answer([](auto& o) {
                o.attention = "local", o.attention_window = 3, o.attention_global = 1;
              }),
              HasSubstr("--attention-global: belongs to --attention block-sparse"));
  EXPECT_THAT(answer([](auto& o) { o.key_heads = 3; }),
              HasSubstr("--transformer-key-heads: 3 heads of keys do not divide"));
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.attention_window = 3; }),
              HasSubstr("--attention-window: belongs to --attention local; got it with linear"));
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.attention_activation = "relu"; }),
              HasSubstr("--attention-activation: --attention linear forms no scores"));
  EXPECT_THAT(
      answer([](auto& o) { o.attention = "linear-bare", o.dropout_attention = 0.1; }),
      HasSubstr("--transformer-dropout-attention: --attention linear-bare forms no weights"));
  EXPECT_THAT(answer([](auto& o) { o.key_heads = 1, o.dim_value = 1; }),
              HasSubstr("--transformer-key-heads: one head of keys and values"));
  EXPECT_EQ(answer([](auto& o) { o.key_heads = 1, o.dim_value = 2; }), "");
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.key_heads = 2; }),
              HasSubstr("--transformer-key-heads: --attention linear has a state for each head"));
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.position = "alibi"; }),
              HasSubstr("--position: --attention linear forms no scores to add to"));
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.position = "rotary", o.dim_key = 4; }),
              HasSubstr("--position: --attention linear has positive queries and keys"));
  EXPECT_EQ(
      answer([](auto& o) { o.attention = "linear-bare", o.position = "rotary", o.dim_key = 4; }),
      "");
  EXPECT_THAT(answer([](auto& o) { o.attention = "linear", o.attention_qk_norm = "l2"; }),
              HasSubstr("--attention-qk-norm: --attention linear forms no scores to keep small"));
  EXPECT_THAT(answer([](auto& o) { o.attention_in = "encoder"; }),
              HasSubstr("--attention-in: the other side's attention is full in any case"));
  EXPECT_THAT(answer([](auto& o) { o.attention_qk_norm = "layer"; }),
              HasSubstr("attention-qk-norm: expected none, rms or l2, got 'layer'"));
  EXPECT_THAT(answer([](auto& o) { o.attention_activation = "tanh"; }),
              HasSubstr("attention-activation: expected softmax, relu"));
}

TEST(Seq2SeqOptions, RefuseWhatLinformersAndSynthesizersCannotDo) {
  EXPECT_THAT(answer([](auto& o) { o.attention = "linformer", o.attention_keys = 4; }),
              HasSubstr("--attention-in: --attention linformer mixes keys of whole sentences"));
  const auto linformer = [](auto& o) {
    o.attention = "linformer", o.attention_keys = 4, o.attention_in = "encoder";
  };
  EXPECT_EQ(answer(linformer), "");
  EXPECT_THAT(answer([&](auto& o) { linformer(o), o.attention_keys = 0; }),
              HasSubstr("--attention: linformer needs --attention-keys; expected at least 1"));
  EXPECT_THAT(answer([&](auto& o) { linformer(o), o.position = "alibi"; }),
              HasSubstr("--position: --attention linformer scores mixtures of rows"));
  EXPECT_THAT(answer([&](auto& o) { linformer(o), o.position = "rotary", o.dim_key = 4; }),
              HasSubstr("--position: --attention linformer mixes keys, which are turned"));
  EXPECT_THAT(answer([](auto& o) { o.attention_keys = 4; }),
              HasSubstr("--attention-keys: belongs to --attention linformer; got it with full"));
  EXPECT_THAT(
      answer([](auto& o) { o.attention = "synthesizer-dense", o.attention_qk_norm = "rms"; }),
      HasSubstr("--attention-qk-norm: --attention synthesizer-dense forms no products"));
  EXPECT_THAT(answer([](auto& o) {
                o.attention = "synthesizer-random", o.position = "rotary", o.dim_key = 4;
              }),
              HasSubstr("--position: --attention synthesizer-random has no queries and keys"));
}

TEST(Seq2SeqOptions, RefuseWhatClustersAndSortedBlocksCannotDo) {
  const auto clustered = [](auto& o) { o.attention = "clustered", o.attention_clusters = 3; };
  EXPECT_EQ(answer(clustered), "");
  EXPECT_THAT(answer([](auto& o) { o.attention = "clustered"; }),
              HasSubstr("--attention: clustered needs --attention-clusters"));
  EXPECT_THAT(answer([](auto& o) { o.attention_clusters = 2; }),
              HasSubstr("--attention-clusters: belongs to --attention clustered"));
  EXPECT_THAT(answer([](auto& o) { o.attention_clustering = "hash"; }),
              HasSubstr("--attention-clustering: belongs to --attention clustered; got it with"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.attention_clustering = "hash"; }),
              HasSubstr("--attention-clusters: hashing has a bucket on both sides"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.attention_rounds = 2; }),
              HasSubstr("--attention-rounds: belongs to --attention-clustering hash"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.key_heads = 2; }),
              HasSubstr("--transformer-key-heads: --attention clustered has keys that are"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.attention_qk_norm = "l2"; }),
              HasSubstr("--attention-qk-norm: --attention clustered norms its keys in any case"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.position = "alibi"; }),
              HasSubstr("--position: --attention clustered groups rows, whose distances"));
  EXPECT_THAT(answer([&](auto& o) { clustered(o), o.position = "rotary", o.dim_key = 4; }),
              HasSubstr("--position: --attention clustered groups rows by what they are"));
  for (const char* name : {"relu", "relu2", "sigmoid"}) {
    EXPECT_THAT(answer([&](auto& o) { clustered(o), o.attention_activation = name; }),
                HasSubstr("--attention-activation: --attention clustered hides a row from itself"));
  }
  EXPECT_EQ(answer([&](auto& o) { clustered(o), o.attention_activation = "entmax15"; }), "");
  const auto sinkhorn = [](auto& o) {
    o.attention = "sinkhorn", o.attention_block = 3, o.attention_in = "encoder";
  };
  EXPECT_EQ(answer(sinkhorn), "");
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), o.attention_in = "decoder"; }),
              HasSubstr("--attention-in: --attention sinkhorn sorts by means of whole blocks"));
  EXPECT_EQ(
      answer([&](auto& o) { sinkhorn(o), o.attention_in = "all", o.generation = "mask-predict"; }),
      "");
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), o.attention_block = 0; }),
              HasSubstr("--attention: sinkhorn needs --attention-block"));
  EXPECT_THAT(
      answer([&](auto& o) { sinkhorn(o), o.key_heads = 2; }),
      HasSubstr("--transformer-key-heads: --attention sinkhorn sorts the keys of each head"));
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), o.position = "relative"; }),
              HasSubstr("--position: --attention sinkhorn sorts blocks, whose distances"));
  EXPECT_THAT(answer([&](auto& o) { sinkhorn(o), o.position = "rotary", o.dim_key = 4; }),
              HasSubstr("--position: --attention sinkhorn mixes keys"));
  EXPECT_THAT(answer([](auto& o) { o.attention_sorting_steps = 3; }),
              HasSubstr("--attention-sorting-steps: belongs to --attention sinkhorn; got it with"));
}

}  // namespace
}  // namespace weft::models
