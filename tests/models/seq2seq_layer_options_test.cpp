// Options of the model reach the layers that are built, as members of theirs.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/models/small_options.h"
#include "tests/support/options.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/nn/attention/kinds.h"

namespace weft::models {
namespace {

template <class Kind>
const Kind& of(const nn::AttentionConfig& a) {
  return std::get<Kind>(a.kind.module());
}

Seq2Seq deep_model(Change change) {
  Seq2SeqOptions o = changed(change);
  o.encoder.enc_depth = o.decoder.dec_depth = 2;
  return Seq2Seq(o, kSizes);
}

const std::vector<nn::Block>& encoder_layers(const Seq2Seq& model) {
  return std::get<nn::Stack>(model.encoder.kind).layers;
}

const std::vector<nn::Block>& decoder_layers(const Seq2Seq& model) {
  return std::get<nn::Stack>(model.decoder.layers.kind).layers;
}

struct HeldByAttention {
  const char* name;
  Change change;
  double (*read)(const nn::AttentionConfig& a);
  double expected;
  Where where;
};

void expect_held(const HeldByAttention& c) {
  SCOPED_TRACE(c.name);
  const Seq2Seq model = deep_model(c.change);
  ASSERT_EQ(encoder_layers(model).size(), 2u);
  ASSERT_EQ(decoder_layers(model).size(), 2u);
  for (size_t l = 0; l < 2; ++l) {
    const nn::Block& decoder = decoder_layers(model)[l];
    if (c.where.encoder) {
      EXPECT_EQ(c.read(encoder_layers(model)[l].self_attn.config), c.expected);
    }
    if (c.where.self) {
      EXPECT_EQ(c.read(decoder.self_attn.config), c.expected);
    }
    if (c.where.cross) {
      EXPECT_EQ(c.read(decoder.encoder_attn->config), c.expected);
    }
  }
}

// Options of kinds that several of them are read from.
void sparse(Seq2SeqOptions& o) {
  test::set(o, "--attention block-sparse --attention-block 3 --attention-global 2");
}
void hashed(Seq2SeqOptions& o) {
  test::set(o,
            "--attention clustered --attention-clusters 6 --attention-clustering hash "
            "--attention-rounds 3");
}
void centroids(Seq2SeqOptions& o) { test::set(o, "--attention clustered --attention-clusters 5"); }
void sorted(Seq2SeqOptions& o) {
  test::set(o,
            "--attention sinkhorn --attention-in encoder --attention-block 4 "
            "--attention-sorting-steps 7");
}
void mixed(Seq2SeqOptions& o) {
  test::set(o, "--attention linformer --attention-in encoder --attention-keys 5");
  o.encoder.position.max_positions = 13;
}

TEST(Seq2SeqLayerOptions, GivesKindsOfAttentionTheirNumbers) {
  using nn::ClusteredAttention, nn::LinearAttention, nn::LinformerAttention,
      nn::DotProductAttention;
  using nn::SinkhornAttention, nn::DenseSynthesizer, nn::RandomSynthesizer;
  const Change local = [](auto& o) { test::set(o, "--attention local --attention-window 5"); };
  const HeldByAttention all[] = {
      {"window", local, [](auto& a) -> double { return of<DotProductAttention>(a).pattern.window; },
       5, kInSelf},
      {"window, not of blocks", local,
       [](auto& a) -> double { return of<DotProductAttention>(a).pattern.block; }, 1, kInSelf},
      {"any window", nothing,
       [](auto& a) -> double { return of<DotProductAttention>(a).pattern.window; }, -1, kAll},
      {"window of cross-attention", local,
       [](auto& a) -> double { return of<DotProductAttention>(a).pattern.window; }, -1, kInCross},
      {"blocks beside", sparse,
       [](auto& a) -> double { return of<DotProductAttention>(a).pattern.window; }, 1, kInSelf},
      {"block", sparse, [](auto& a) -> double { return of<DotProductAttention>(a).pattern.block; },
       3, kInSelf},
      {"global", sparse,
       [](auto& a) -> double { return of<DotProductAttention>(a).pattern.global; }, 2, kInSelf},
      {"clusters", hashed,
       [](auto& a) -> double { return of<ClusteredAttention>(a).clustering.clusters; }, 6, kInSelf},
      {"rounds", hashed,
       [](auto& a) -> double { return of<ClusteredAttention>(a).clustering.rounds; }, 3, kInSelf},
      {"hash", hashed,
       [](auto& a) -> double { return of<ClusteredAttention>(a).clustering.by_hash; }, 1, kInSelf},
      {"centroids", centroids,
       [](auto& a) -> double { return of<ClusteredAttention>(a).clustering.by_hash; }, 0, kInSelf},
      {"clusters by centroids", centroids,
       [](auto& a) -> double { return of<ClusteredAttention>(a).clustering.clusters; }, 5, kInSelf},
      {"sorted block", sorted, [](auto& a) -> double { return of<SinkhornAttention>(a).block; }, 4,
       kInEncoder},
      {"sorting steps", sorted, [](auto& a) -> double { return of<SinkhornAttention>(a).steps; }, 7,
       kInEncoder},
      {"keys", mixed,
       [](auto& a) -> double { return of<LinformerAttention>(a).key_mix.shape.cols(); }, 5,
       kInEncoder},
      {"values", mixed,
       [](auto& a) -> double { return of<LinformerAttention>(a).value_mix.shape.cols(); }, 5,
       kInEncoder},
      {"places of keys", mixed,
       [](auto& a) -> double { return of<LinformerAttention>(a).key_mix.shape.rows(); }, 13,
       kInEncoder},
      {"places, dense",
       [](auto& o) {
         test::set(o, "--attention synthesizer-dense"), o.encoder.position.max_positions = 13;
       },
       [](auto& a) -> double { return of<DenseSynthesizer>(a).position_keys.shape.rows(); }, 13,
       kInSelf},
      {"no bias, dense",
       [](auto& o) {
         test::set(o, "--attention synthesizer-dense"),
             o.encoder.transformer.attention.bias = false;
       },
       [](auto& a) -> double { return of<DenseSynthesizer>(a).second.bias.is_present(); }, 0,
       kInSelf},
      {"places, random",
       [](auto& o) {
         test::set(o, "--attention synthesizer-random"), o.encoder.position.max_positions = 13;
       },
       [](auto& a) -> double { return of<RandomSynthesizer>(a).position_keys.shape.rows(); }, 13,
       kInSelf},
      {"unnormalised", [](auto& o) { test::set(o, "--attention linear-unnormalised"); },
       [](auto& a) -> double { return of<LinearAttention>(a).is_unnormalised; }, 1, kInSelf},
  };
  for (const HeldByAttention& c : all) expect_held(c);
}

TEST(Seq2SeqLayerOptions, GivesEveryAttentionItsNumbers) {
  const HeldByAttention all[] = {
      {"features", nothing, [](auto& a) -> double { return a.features; }, kFeatures, kAll},
      {"heads", [](auto& o) { o.encoder.transformer.attention.heads = 4; },
       [](auto& a) -> double { return a.heads; }, 4, kAll},
      {"key heads", [](auto& o) { o.encoder.transformer.attention.key_heads = 1; },
       [](auto& a) -> double { return a.key_heads; }, 1, kAll},
      {"key size", [](auto& o) { o.encoder.transformer.attention.key_size = 6; },
       [](auto& a) -> double { return a.key_size; }, 6, kAll},
      {"value size", [](auto& o) { o.encoder.transformer.attention.value_size = 10; },
       [](auto& a) -> double { return a.value_size; }, 10, kAll},
      {"bias", [](auto& o) { o.encoder.transformer.attention.bias = false; },
       [](auto& a) -> double { return a.bias; }, 0, kAll},
      {"key bias", [](auto& o) { o.encoder.transformer.attention.key_bias = false; },
       [](auto& a) -> double { return a.key_bias; }, 0, kAll},
      {"query bias", [](auto& o) { o.encoder.transformer.attention.query_bias = false; },
       [](auto& a) -> double { return a.query_bias; }, 0, kAll},
      {"value bias", [](auto& o) { o.encoder.transformer.attention.value_bias = false; },
       [](auto& a) -> double { return a.value_bias; }, 0, kAll},
      {"output bias", [](auto& o) { o.encoder.transformer.attention.output_bias = false; },
       [](auto& a) -> double { return a.output_bias; }, 0, kAll},
      {"scale", [](auto& o) { o.encoder.transformer.attention.scale = 0.3; },
       [](auto& a) -> double { return a.scale; }, 0.3, kAll},
      {"scale of its own", [](auto& o) { o.encoder.transformer.attention.key_size = 16; },
       [](auto& a) -> double { return a.scale; }, 0.25, kAll},
      {"soft cap", [](auto& o) { o.encoder.transformer.attention.soft_cap = 20; },
       [](auto& a) -> double { return a.soft_cap; }, 20, kAll},
      {"dropout", [](auto& o) { o.encoder.transformer.attention.dropout = 0.3; },
       [](auto& a) -> double { return a.dropout; }, 0.3, kAll},
      {"epsilon of norms of queries and keys",
       [](auto& o) { o.encoder.transformer.norm.epsilon = 0.01; },
       [](auto& a) -> double { return a.qk_norm_epsilon; }, 0.01, kAll},
  };
  for (const HeldByAttention& c : all) expect_held(c);
}

// Which layers have a window, and the rotations of local layers.
TEST(Seq2SeqLayerOptions, GivesSomeLayersFullAttention) {
  const auto local_layers = [](const char* flags) {
    Seq2SeqOptions o = plain_options();
    o.encoder.enc_depth = o.decoder.dec_depth = 7;
    test::set(o, "--attention local --attention-window 5");
    test::set(o, flags);
    const Seq2Seq model(o, kSizes);
    std::string out;
    for (size_t l = 0; l < 7; ++l) {
      const nn::AttentionConfig& encoder = encoder_layers(model)[l].self_attn.config;
      const nn::AttentionConfig& decoder = decoder_layers(model)[l].self_attn.config;
      EXPECT_EQ(encoder.is_local, decoder.is_local);
      EXPECT_FALSE(decoder_layers(model)[l].encoder_attn->config.is_local);
      for (const nn::AttentionConfig* a : {&encoder, &decoder}) {
        EXPECT_EQ(of<nn::DotProductAttention>(*a).pattern.window, a->is_local ? 5 : -1);
      }
      out += encoder.is_local ? 'l' : 'f';
    }
    return out;
  };
  EXPECT_EQ(local_layers(""), "lllllll");
  EXPECT_EQ(local_layers("--attention-full-every 3"), "fllfllf");  // ModernBERT
  EXPECT_EQ(local_layers("--attention-full-every 6 --attention-full-first 6"), "lllllfl");  // Gemma
  EXPECT_EQ(local_layers("--attention-full-every 1"), "fffffff");
  EXPECT_EQ(local_layers("--attention-full-lowest 2"), "fflllll");  // Qwen2
  EXPECT_EQ(local_layers("--attention-full-lowest 2 --attention-full-every 4"), "ffllfll");
}

TEST(Seq2SeqLayerOptions, GivesTheStackWithoutLocalAttentionNone) {
  Seq2SeqOptions o = plain_options();
  test::set(o, "--attention local --attention-window 5 --attention-in decoder");
  const Seq2Seq model(o, kSizes);
  EXPECT_FALSE(encoder_layers(model)[0].self_attn.config.is_local);
  EXPECT_TRUE(decoder_layers(model)[0].self_attn.config.is_local);
}

TEST(Seq2SeqLayerOptions, GivesNormsOfQueriesAndKeysTheirEpsilon) {
  const auto expect = [](const char* kind, double (*read)(const nn::QkNorm& norm)) {
    SCOPED_TRACE(kind);
    Seq2SeqOptions o = plain_options();
    test::set(o, fmt::format("--attention-qk-norm {}", kind));
    o.encoder.transformer.norm.epsilon = 0.01;
    const Seq2Seq model(o, kSizes);
    EXPECT_EQ(read(encoder_layers(model)[0].self_attn.qk_norm), 0.01);
    EXPECT_EQ(read(decoder_layers(model)[0].self_attn.qk_norm), 0.01);
    EXPECT_EQ(read(decoder_layers(model)[0].encoder_attn->qk_norm), 0.01);
  };
  expect("rms", [](auto& norm) { return std::get<nn::RmsQkNorm>(norm.kind).epsilon; });
  expect("l2", [](auto& norm) { return std::get<nn::CosineQkNorm>(norm.kind).epsilon; });
}

TEST(Seq2SeqLayerOptions, GivesPositionsTheirNumbers) {
  struct Held {
    const char* name;
    Change change;
    double (*read)(const nn::Position& p);
    double in_encoder, in_decoder;
  };
  const Change relative = [](auto& o) {
    test::set(o, "--position relative --relative-buckets 10 --relative-max-distance 50");
  };
  const Change rotary = [](auto& o) { test::set(o, "--position rotary --rotary-base 500"); };
  using nn::IndexPosition, nn::LearnedPosition, nn::RelativePosition, nn::RotaryPosition;
  const Held all[] = {
      {"scale", [](auto& o) { test::set(o, "--position index --position-scale 0.25"); },
       [](auto& p) -> double { return std::get<IndexPosition>(p.kind).scale; }, 0.25, 0.25},
      {"most",
       [](auto& o) { test::set(o, "--position learned"), o.encoder.position.max_positions = 9; },
       [](auto& p) -> double { return std::get<LearnedPosition>(p.kind).weight.shape.rows(); }, 9,
       9},
      {"base", rotary,
       [](auto& p) -> double {
         return 1 / std::get<RotaryPosition>(p.kind).frequencies->rates.at(1);
       },
       std::sqrt(500.0), std::sqrt(500.0)},
      {"pairs of a key of another size",
       [](auto& o) { test::set(o, "--position rotary --transformer-dim-key 6"); },
       [](auto& p) -> double {
         return static_cast<double>(std::get<RotaryPosition>(p.kind).frequencies->rates.size());
       },
       3, 3},
      {"local base",
       [](auto& o) {
         test::set(o,
                   "--position rotary --attention local --attention-window 2 "
                   "--rotary-local-base 100 --rotary-local-factor 4");
       },
       [](auto& p) -> double {
         return 1 / std::get<RotaryPosition>(p.kind).local_frequencies->rates.at(1);
       },
       40, 40},
      {"axes", rotary, [](auto& p) -> double { return std::get<RotaryPosition>(p.kind).axes; }, 1,
       1},
      {"buckets", relative,
       [](auto& p) -> double { return std::get<RelativePosition>(p.kind).weight.shape.rows(); }, 10,
       10},
      {"heads", relative,
       [](auto& p) -> double { return std::get<RelativePosition>(p.kind).weight.shape.cols(); }, 2,
       2},
      {"largest distance", relative,
       [](auto& p) -> double { return std::get<RelativePosition>(p.kind).max_distance; }, 50, 50},
      {"causal", relative,
       [](auto& p) -> double { return std::get<RelativePosition>(p.kind).causal; }, 0, 1},
  };
  for (const Held& c : all) {
    SCOPED_TRACE(c.name);
    const Seq2Seq model(changed(c.change), kSizes);
    EXPECT_EQ(c.read(model.source.position), c.in_encoder);
    EXPECT_EQ(c.read(model.decoder.embedding.position), c.in_decoder);
  }
}

TEST(Seq2SeqLayerOptions, GivesEveryNormItsNumbers) {
  struct Held {
    const char* kind;
    double (*read)(const nn::Norm& norm);
    double expected;
  };
  const Held all[] = {
      {"layer", [](auto& n) { return std::get<nn::LayerNorm>(n.kind).epsilon; }, 0.01},
      {"rms", [](auto& n) { return std::get<nn::RmsNorm>(n.kind).epsilon; }, 0.01},
      {"batch", [](auto& n) { return std::get<nn::BatchNorm>(n.kind).epsilon; }, 0.01},
      {"batch", [](auto& n) { return std::get<nn::BatchNorm>(n.kind).momentum; }, 0.3},
  };
  for (const Held& c : all) {
    SCOPED_TRACE(c.kind);
    Seq2SeqOptions o = plain_options();
    test::set(o, "--transformer-norm pre");  // stacks then end with norms, too
    test::set(o, fmt::format("--norm-kind {}", c.kind));
    o.encoder.transformer.norm.epsilon = 0.01;
    if (o.encoder.transformer.norm.kind.is<nn::BatchNormOptions>())
      test::set(o, "--norm-momentum 0.3");
    const Seq2Seq model(o, kSizes);
    const nn::Block& encoder = encoder_layers(model)[0];
    const nn::Block& decoder = decoder_layers(model)[0];
    for (const nn::Norm* norm :
         {&encoder.self_residual.norm, &encoder.ffn_residual.norm, &decoder.self_residual.norm,
          &decoder.cross_residual.norm, &decoder.ffn_residual.norm,
          &std::get<nn::Stack>(model.encoder.kind).layer_norm,
          &std::get<nn::Stack>(model.decoder.layers.kind).layer_norm}) {
      EXPECT_EQ(c.read(*norm), c.expected);
    }
  }
}

TEST(Seq2SeqLayerOptions, GivesLayersTheirNumbers) {
  const Seq2Seq model = deep_model([](auto& o) {
    o.encoder.transformer.dropout = 0.1, o.encoder.transformer.feed_forward.dropout = 0.2,
    o.encoder.transformer.drop_path = 0.4;
    o.encoder.transformer.residual_scale = "0.7", test::set(o, "--transformer-ffn-activation gelu"),
    o.encoder.transformer.feed_forward.gated = true;
  });
  const auto expect = [](const auto& layer) {
    for (const nn::Residual* residual : {&layer.self_residual, &layer.ffn_residual}) {
      EXPECT_EQ(residual->dropout.p, 0.1);
      EXPECT_EQ(residual->scale, 0.7);
    }
    EXPECT_EQ(layer.feed_forward.dropout.p, 0.2);
    EXPECT_EQ(layer.feed_forward.options.inner, 12);
    EXPECT_EQ(layer.feed_forward.options.function(), ops::Activation::kGelu);
    EXPECT_TRUE(layer.feed_forward.options.gated);
  };
  for (const auto& layer : encoder_layers(model)) expect(layer);
  for (const auto& layer : decoder_layers(model)) expect(layer);
  for (const size_t l : {0, 1}) {
    const double share = 0.4 * (static_cast<double>(l) + 1) / 2;  // the last layer's is the option
    EXPECT_DOUBLE_EQ(std::get<nn::Stack>(model.encoder.kind).drop_path_at(l), share);
    EXPECT_DOUBLE_EQ(std::get<nn::Stack>(model.decoder.layers.kind).drop_path_at(l), share);
  }
}

}  // namespace
}  // namespace weft::models
