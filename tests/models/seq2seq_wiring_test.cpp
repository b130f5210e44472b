// Options of the model reach the parts that they are for, and no others.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/differences.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/seq2seq.h"

namespace weft::models {
namespace {

constexpr Seq2SeqSizes kWiringSizes{
    .source_vocab = 11, .target_vocab = 9, .begin_id = 1, .end_id = 0};
constexpr int64_t kFeatures = 8;

using Change = void (*)(Seq2SeqOptions& o);
void nothing(Seq2SeqOptions&) {}

Seq2SeqOptions plain_options() {
  Seq2SeqOptions o;
  o.enc_depth = o.dec_depth = 1;
  o.dim_emb = kFeatures;
  o.transformer.attention.heads = 2;
  o.transformer.feed_forward.inner = 12;
  o.position.max_positions = 16;
  o.transformer.dropout = 0;
  return o;
}

Seq2SeqOptions changed(Change change) {
  Seq2SeqOptions o = plain_options();
  change(o);
  return o;
}

// The encoder; the decoder with no attention but that among its rows, or none but to the source.
enum class Part { kEncoder, kSelf, kCross };
constexpr Part kParts[] = {Part::kEncoder, Part::kSelf, Part::kCross};

const char* name_of(Part part) {
  return part == Part::kEncoder ? "encoder" : part == Part::kSelf ? "decoder" : "cross-attention";
}

struct Where {
  bool encoder = false, self = false, cross = false;
  bool has(Part part) const {
    return part == Part::kEncoder ? encoder : part == Part::kSelf ? self : cross;
  }
};
constexpr Where kAll{true, true, true}, kInSelf{true, true, false}, kInEncoder{true, false, false},
    kInDecoder{false, true, false}, kInCross{false, false, true}, kNowhere{};

data::Tokens sentences(std::initializer_list<int> lengths, uint64_t stream, uint64_t vocabulary) {
  RandomStream random(5, stream);
  data::Tokens out;
  for (const int length : lengths) {
    std::vector<int32_t> ids(static_cast<size_t>(length));
    for (int32_t& id : ids) id = static_cast<int32_t>(random.below(vocabulary));
    out.add(ids);
  }
  return out;
}

// An attention whose output is nothing.
void mute(Seq2Seq& model, std::string_view projection) {
  int muted = 0;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    if (name.find(projection) == std::string::npos) continue;
    backend_of(p->value)(kernels::Fill{.y = p->value, .value = 0});
    ++muted;
  }
  ASSERT_GE(muted, 2) << projection;  // weight and bias
}

struct Seen {
  std::vector<std::string> names;
  Tensor parameters, states;
};

// The decoder reads the same memory, whatever the encoder makes.
Seen look_at(const Seq2SeqOptions& options, Part part, bool training = false) {
  Seq2Seq model(options, kWiringSizes);
  Seen seen;
  seen.parameters = bind_in_no_special_place(model).clone();
  for (const auto& [name, p] : nn::parameters_of(model)) seen.names.push_back(name);
  const data::Tokens source = sentences({9, 1, 6, 4}, 1, 11),
                     target = sentences({8, 2, 10, 1}, 2, 9);
  const ops::RowsPtr rows = ops::make_rows(source.segments);
  nn::Context context{.training = training, .key = {1, 2}};
  if (part == Part::kEncoder) {
    seen.states = model.encode(ops::make_ids(source.ids), rows, context).states;
    return seen;
  }
  mute(model, part == Part::kSelf ? "encoder_attn.out_proj." : "self_attn.out_proj.");
  const nn::Memory memory{test::random_tensor({source.rows(), kFeatures}, 3), rows};
  seen.states =
      model.decode(ops::make_ids(target.ids), ops::make_rows(target.segments), memory, context);
  return seen;
}

// Of equal parameters, other states: far more than rounding, or not one bit.
void expect_difference(const Seen& one, const Seen& other, bool differs) {
  ASSERT_EQ(one.names, other.names);
  ASSERT_TRUE(test::same_bits(one.parameters, other.parameters));
  if (differs) {
    EXPECT_GT(test::distance(other.states, one.states), 1e-6);
  } else {
    EXPECT_TRUE(test::same_bits(other.states, one.states));
  }
}

struct Wire {
  const char* name;
  Change change, other;
  Where where;
};

void expect_differences(const Wire& wire) {
  for (const Part part : kParts) {
    SCOPED_TRACE(std::string(wire.name) + " in the " + name_of(part));
    expect_difference(look_at(changed(wire.change), part), look_at(changed(wire.other), part),
                      wire.where.has(part));
  }
}

TEST(Seq2SeqWiring, OfPatternAndKindIsThatOfSelfAttentionOfTheSidesAskedFor) {
  const Wire wires[] = {
      {"window", [](auto& o) { test::set(o, "--attention local --attention-window 1"); },
       [](auto& o) { test::set(o, "--attention local --attention-window 3"); }, kInSelf},
      {"block", [](auto& o) { test::set(o, "--attention block-sparse --attention-block 2"); },
       [](auto& o) { test::set(o, "--attention block-sparse --attention-block 3"); }, kInSelf},
      {"global", [](auto& o) { test::set(o, "--attention block-sparse --attention-block 2"); },
       [](auto& o) {
         test::set(o, "--attention block-sparse --attention-block 2 --attention-global 1");
       },
       kInSelf},
      {"sorted block",
       [](auto& o) {
         test::set(o, "--attention sinkhorn --attention-in encoder --attention-block 2");
       },
       [](auto& o) {
         test::set(o, "--attention sinkhorn --attention-in encoder --attention-block 3");
       },
       kInEncoder},
      {"sorting steps",
       [](auto& o) {
         test::set(o,
                   "--attention sinkhorn --attention-in encoder --attention-block 3 "
                   "--attention-sorting-steps 1");
       },
       [](auto& o) {
         test::set(o, "--attention sinkhorn --attention-in encoder --attention-block 3");
       },
       kInEncoder},
      {"full or local", nothing,
       [](auto& o) { test::set(o, "--attention local --attention-window 2"); }, kInSelf},
      {"full or linear", nothing, [](auto& o) { test::set(o, "--attention linear"); }, kInSelf},
      {"linear or bare", [](auto& o) { test::set(o, "--attention linear"); },
       [](auto& o) { test::set(o, "--attention linear-bare"); }, kInSelf},
      {"in all or the encoder", [](auto& o) { test::set(o, "--attention linear"); },
       [](auto& o) { test::set(o, "--attention linear --attention-in encoder"); }, kInDecoder},
      {"in all or the decoder", [](auto& o) { test::set(o, "--attention linear"); },
       [](auto& o) { test::set(o, "--attention linear --attention-in decoder"); }, kInEncoder},
      {"in the encoder or the decoder",
       [](auto& o) { test::set(o, "--attention linear --attention-in encoder"); },
       [](auto& o) { test::set(o, "--attention linear --attention-in decoder"); }, kInSelf},
  };
  for (const Wire& wire : wires) expect_differences(wire);
}

TEST(Seq2SeqWiring, OfScalesIsThatOfEveryAttentionWithScores) {
  const Wire wires[] = {
      {"scale", [](auto& o) { o.transformer.attention.scale = 0.3; },
       [](auto& o) { o.transformer.attention.scale = 0.9; }, kAll},
      // Two heads of 8 features: keys of 4.
      {"scale of its own", nothing, [](auto& o) { o.transformer.attention.scale = 0.5; }, kNowhere},
      {"scale, bare",
       [](auto& o) {
         test::set(o, "--attention linear-bare"), o.transformer.attention.scale = 0.3;
       },
       [](auto& o) {
         test::set(o, "--attention linear-bare"), o.transformer.attention.scale = 0.9;
       },
       kAll},
      {"scale, linear",
       [](auto& o) { test::set(o, "--attention linear"), o.transformer.attention.scale = 0.3; },
       [](auto& o) { test::set(o, "--attention linear"), o.transformer.attention.scale = 0.9; },
       kInCross},
  };
  for (const Wire& wire : wires) expect_differences(wire);
}

TEST(Seq2SeqWiring, OfPositionsIsThatOfEmbeddingsOrOfSelfAttention) {
  const Wire wires[] = {
      {"none or sinusoidal", [](auto& o) { test::set(o, "--position none"); }, nothing, kAll},
      {"none or rotary", [](auto& o) { test::set(o, "--position none"); },
       [](auto& o) { test::set(o, "--position rotary"); }, kInSelf},
      {"none or alibi", [](auto& o) { test::set(o, "--position none"); },
       [](auto& o) { test::set(o, "--position alibi"); }, kInSelf},
      {"position scale", [](auto& o) { test::set(o, "--position index"); },
       [](auto& o) { test::set(o, "--position index --position-scale 0.5"); }, kAll},
      {"rotary base", [](auto& o) { test::set(o, "--position rotary"); },
       [](auto& o) { test::set(o, "--position rotary --rotary-base 10"); }, kInSelf},
      {"rotary base, bare",
       [](auto& o) { test::set(o, "--position rotary --attention linear-bare"); },
       [](auto& o) { test::set(o, "--position rotary --attention linear-bare --rotary-base 10"); },
       kInSelf},
      {"largest distance",
       [](auto& o) {
         test::set(o, "--position relative --relative-buckets 8 --relative-max-distance 6");
       },
       [](auto& o) {
         test::set(o, "--position relative --relative-buckets 8 --relative-max-distance 20");
       },
       kInSelf},
  };
  for (const Wire& wire : wires) expect_differences(wire);
}

TEST(Seq2SeqWiring, OfPriorsIsThatOfAttentionToTheSource) {
  const Wire wires[] = {
      {"none or diagonal", nothing, [](auto& o) { test::set(o, "--attention-prior diagonal"); },
       kInCross},
      {"none or monotonic", nothing, [](auto& o) { test::set(o, "--attention-prior monotonic"); },
       kInCross},
      {"diagonal or monotonic", [](auto& o) { test::set(o, "--attention-prior diagonal"); },
       [](auto& o) { test::set(o, "--attention-prior monotonic"); }, kInCross},
      {"width, diagonal",
       [](auto& o) { test::set(o, "--attention-prior diagonal --attention-prior-width 1"); },
       [](auto& o) { test::set(o, "--attention-prior diagonal --attention-prior-width 2"); },
       kInCross},
      {"width, monotonic",
       [](auto& o) { test::set(o, "--attention-prior monotonic --attention-prior-width 1"); },
       [](auto& o) { test::set(o, "--attention-prior monotonic --attention-prior-width 2"); },
       kInCross},
      {"ratio, diagonal", [](auto& o) { test::set(o, "--attention-prior diagonal"); },
       [](auto& o) { test::set(o, "--attention-prior diagonal --attention-prior-ratio 2"); },
       kInCross},
      {"ratio, monotonic", [](auto& o) { test::set(o, "--attention-prior monotonic"); },
       [](auto& o) { test::set(o, "--attention-prior monotonic --attention-prior-ratio 0.5"); },
       kInCross},
  };
  for (const Wire& wire : wires) expect_differences(wire);
}

TEST(Seq2SeqWiring, OfNormsResidualsAndActivationsIsThatOfBothSides) {
  const Wire wires[] = {
      {"residual scale, post", nothing, [](auto& o) { o.transformer.residual_scale = "0.5"; },
       kAll},
      {"residual scale, pre", [](auto& o) { test::set(o, "--transformer-norm pre"); },
       [](auto& o) {
         test::set(o, "--transformer-norm pre"), o.transformer.residual_scale = "0.5";
       },
       kAll},
      {"epsilon", nothing, [](auto& o) { o.transformer.norm.epsilon = 0.01; }, kAll},
      {"epsilon, rms", [](auto& o) { test::set(o, "--norm-kind rms"); },
       [](auto& o) { test::set(o, "--norm-kind rms"), o.transformer.norm.epsilon = 0.01; }, kAll},
      {"epsilon, batch", [](auto& o) { test::set(o, "--norm-kind batch"); },
       [](auto& o) { test::set(o, "--norm-kind batch"), o.transformer.norm.epsilon = 0.01; }, kAll},
      {"relu or gelu", nothing, [](auto& o) { test::set(o, "--transformer-ffn-activation gelu"); },
       kAll},
      {"gelu or silu", [](auto& o) { test::set(o, "--transformer-ffn-activation gelu"); },
       [](auto& o) { test::set(o, "--transformer-ffn-activation silu"); }, kAll},
  };
  for (const Wire& wire : wires) expect_differences(wire);
}

TEST(Seq2SeqWiring, OfFunctionsTellsEachFromEveryOther) {
  const char* const functions[] = {"softmax", "relu", "relu2", "sigmoid", "sparsemax", "entmax15"};
  for (const Part part : kParts) {
    std::vector<Seen> seen;
    for (const char* function : functions) {
      Seq2SeqOptions o = plain_options();
      test::set(o, fmt::format("--attention-activation {}", function));
      seen.push_back(look_at(o, part));
      for (size_t i = 0; i + 1 < seen.size(); ++i) {
        SCOPED_TRACE(std::string(functions[i]) + " or " + function + ", " + name_of(part));
        expect_difference(seen[i], seen.back(), true);
      }
    }
  }
}

TEST(Seq2SeqWiring, OfFunctionAndScaleIsThatOfEveryKindWithScores) {
  const std::pair<const char*, Change> kinds[] = {
      {"local", [](auto& o) { test::set(o, "--attention-window 2"); }},
      {"block-sparse", [](auto& o) { test::set(o, "--attention-block 2"); }},
      {"linformer", [](auto& o) { test::set(o, "--attention-keys 3"); }},
      {"synthesizer-dense", nothing},
      {"synthesizer-random", nothing},
      {"clustered", [](auto& o) { test::set(o, "--attention-clusters 2"); }},
      {"sinkhorn", [](auto& o) { test::set(o, "--attention-block 3"); }},
  };
  for (const auto& [kind, change] : kinds) {
    SCOPED_TRACE(kind);
    Seq2SeqOptions o = changed(change);
    test::set(o, fmt::format("--attention {}", kind));
    test::set(o, "--attention-in encoder");
    const Seen plain = look_at(o, Part::kEncoder);
    Seq2SeqOptions sparse = o, scaled = o;
    test::set(sparse, "--attention-activation sparsemax");
    scaled.transformer.attention.scale = 0.9;
    expect_difference(plain, look_at(sparse, Part::kEncoder), true);
    expect_difference(plain, look_at(scaled, Part::kEncoder), true);
  }
}

TEST(Seq2SeqWiring, OfDropoutActsInTrainingAlone) {
  const std::pair<const char*, Change> kinds[] = {
      {"dropout", [](auto& o) { o.transformer.dropout = 0.3; }},
      {"dropout-attention", [](auto& o) { o.transformer.attention.dropout = 0.3; }},
      {"dropout-ffn", [](auto& o) { o.transformer.feed_forward.dropout = 0.3; }},
      {"drop-path", [](auto& o) { o.transformer.drop_path = 0.5; }},
  };
  for (const Part part : kParts) {
    const Seen plain = look_at(plain_options(), part);
    expect_difference(plain, look_at(plain_options(), part, true), false);
    for (const auto& [name, change] : kinds) {
      SCOPED_TRACE(std::string(name) + " in the " + name_of(part));
      expect_difference(plain, look_at(changed(change), part), false);
      expect_difference(plain, look_at(changed(change), part, true), true);
    }
  }
}

// What is a plain member of the parts that are built.

template <class Kind>
const Kind& of(const nn::AttentionConfig& a) {
  return std::get<Kind>(a.kind);
}

Seq2Seq deep_model(Change change) {
  Seq2SeqOptions o = changed(change);
  o.enc_depth = o.dec_depth = 2;
  return Seq2Seq(o, kWiringSizes);
}

const std::vector<nn::Block>& encoder_layers(const Seq2Seq& model) {
  return std::get<nn::Stack>(model.encoder.kind).layers;
}

const std::vector<nn::Block>& decoder_layers(const Seq2Seq& model) {
  return std::get<nn::Stack>(model.decoder.kind).layers;
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
  o.position.max_positions = 13;
}

TEST(Seq2SeqWiring, GivesKindsOfAttentionTheirNumbers) {
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
         test::set(o, "--attention synthesizer-dense"), o.position.max_positions = 13;
       },
       [](auto& a) -> double { return of<DenseSynthesizer>(a).position_keys.shape.rows(); }, 13,
       kInSelf},
      {"no bias, dense",
       [](auto& o) {
         test::set(o, "--attention synthesizer-dense"), o.transformer.attention.bias = false;
       },
       [](auto& a) -> double { return of<DenseSynthesizer>(a).second.bias.is_present(); }, 0,
       kInSelf},
      {"places, random",
       [](auto& o) {
         test::set(o, "--attention synthesizer-random"), o.position.max_positions = 13;
       },
       [](auto& a) -> double { return of<RandomSynthesizer>(a).position_keys.shape.rows(); }, 13,
       kInSelf},
      {"bare", [](auto& o) { test::set(o, "--attention linear-bare"); },
       [](auto& a) -> double { return of<LinearAttention>(a).is_bare; }, 1, kInSelf},
  };
  for (const HeldByAttention& c : all) expect_held(c);
}

TEST(Seq2SeqWiring, GivesEveryAttentionItsNumbers) {
  const HeldByAttention all[] = {
      {"features", nothing, [](auto& a) -> double { return a.features; }, kFeatures, kAll},
      {"heads", [](auto& o) { o.transformer.attention.heads = 4; },
       [](auto& a) -> double { return a.heads; }, 4, kAll},
      {"key heads", [](auto& o) { o.transformer.attention.key_heads = 1; },
       [](auto& a) -> double { return a.key_heads; }, 1, kAll},
      {"key size", [](auto& o) { o.transformer.attention.key_size = 6; },
       [](auto& a) -> double { return a.key_size; }, 6, kAll},
      {"value size", [](auto& o) { o.transformer.attention.value_size = 10; },
       [](auto& a) -> double { return a.value_size; }, 10, kAll},
      {"bias", [](auto& o) { o.transformer.attention.bias = false; },
       [](auto& a) -> double { return a.bias; }, 0, kAll},
      {"scale", [](auto& o) { o.transformer.attention.scale = 0.3; },
       [](auto& a) -> double { return a.scale; }, 0.3, kAll},
      {"scale of its own", [](auto& o) { o.transformer.attention.key_size = 16; },
       [](auto& a) -> double { return a.scale; }, 0.25, kAll},
      {"dropout", [](auto& o) { o.transformer.attention.dropout = 0.3; },
       [](auto& a) -> double { return a.dropout; }, 0.3, kAll},
      {"epsilon of norms of queries and keys", [](auto& o) { o.transformer.norm.epsilon = 0.01; },
       [](auto& a) -> double { return a.qk_norm_epsilon; }, 0.01, kAll},
  };
  for (const HeldByAttention& c : all) expect_held(c);
}

TEST(Seq2SeqWiring, GivesNormsOfQueriesAndKeysTheirEpsilon) {
  const auto expect = [](const char* kind, double (*read)(const nn::QkNorm& norm)) {
    SCOPED_TRACE(kind);
    Seq2SeqOptions o = plain_options();
    test::set(o, fmt::format("--attention-qk-norm {}", kind));
    o.transformer.norm.epsilon = 0.01;
    const Seq2Seq model(o, kWiringSizes);
    EXPECT_EQ(read(encoder_layers(model)[0].self_attn.qk_norm), 0.01);
    EXPECT_EQ(read(decoder_layers(model)[0].self_attn.qk_norm), 0.01);
    EXPECT_EQ(read(decoder_layers(model)[0].encoder_attn->qk_norm), 0.01);
  };
  expect("rms", [](auto& norm) { return std::get<nn::RmsQkNorm>(norm.kind).epsilon; });
  expect("l2", [](auto& norm) { return std::get<nn::CosineQkNorm>(norm.kind).epsilon; });
}

TEST(Seq2SeqWiring, GivesPositionsTheirNumbers) {
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
      {"most", [](auto& o) { test::set(o, "--position learned"), o.position.max_positions = 9; },
       [](auto& p) -> double { return std::get<LearnedPosition>(p.kind).weight.shape.rows(); }, 9,
       9},
      {"base", rotary, [](auto& p) -> double { return std::get<RotaryPosition>(p.kind).base; }, 500,
       500},
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
    const Seq2Seq model(changed(c.change), kWiringSizes);
    EXPECT_EQ(c.read(model.encoder_position), c.in_encoder);
    EXPECT_EQ(c.read(model.decoder_position), c.in_decoder);
  }
}

TEST(Seq2SeqWiring, GivesEveryNormItsNumbers) {
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
    o.transformer.norm.epsilon = 0.01;
    if (o.transformer.norm.kind.is<nn::BatchNormOptions>()) test::set(o, "--norm-momentum 0.3");
    const Seq2Seq model(o, kWiringSizes);
    const nn::Block& encoder = encoder_layers(model)[0];
    const nn::Block& decoder = decoder_layers(model)[0];
    for (const nn::Norm* norm :
         {&encoder.self_residual.norm, &encoder.ffn_residual.norm, &decoder.self_residual.norm,
          &decoder.cross_residual.norm, &decoder.ffn_residual.norm,
          &std::get<nn::Stack>(model.encoder.kind).layer_norm,
          &std::get<nn::Stack>(model.decoder.kind).layer_norm}) {
      EXPECT_EQ(c.read(*norm), c.expected);
    }
  }
}

TEST(Seq2SeqWiring, GivesLayersTheirNumbers) {
  const Seq2Seq model = deep_model([](auto& o) {
    o.transformer.dropout = 0.1, o.transformer.feed_forward.dropout = 0.2,
    o.transformer.drop_path = 0.4;
    o.transformer.residual_scale = "0.7", test::set(o, "--transformer-ffn-activation gelu"),
    o.transformer.feed_forward.gated = true;
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
    EXPECT_DOUBLE_EQ(std::get<nn::Stack>(model.decoder.kind).drop_path_at(l), share);
  }
}

}  // namespace
}  // namespace weft::models
