// Options of the model reach the parts that they are for, and no others.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/differences.h"
#include "tests/models/small_options.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::models {
namespace {

const char* name_of(Part part) {
  return part == Part::kEncoder ? "encoder" : part == Part::kSelf ? "decoder" : "cross-attention";
}

data::Tokens sequences(std::initializer_list<int> lengths, uint64_t stream, uint64_t vocabulary) {
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
  Seq2Seq model(options, kSizes);
  Seen seen;
  seen.parameters = bind_in_no_special_place(model).clone();
  for (const auto& [name, p] : nn::parameters_of(model)) seen.names.push_back(name);
  const data::Tokens source = sequences({9, 1, 6, 4}, 1, 11),
                     target = sequences({8, 2, 10, 1}, 2, 9);
  const ops::LayoutPtr rows = ops::make_layout(source.segments);
  nn::Context context{.training = training, .key = {1, 2}};
  if (part == Part::kEncoder) {
    seen.states = model.encode(source, context).states;
    return seen;
  }
  mute(model, part == Part::kSelf ? "encoder_attn.out_proj." : "self_attn.out_proj.");
  const nn::Memory memory{test::random_tensor({source.rows(), kFeatures}, 3), rows};
  seen.states = model.decoder.forward(
      {ops::make_ids(target.ids), ops::make_layout(target.segments)}, memory, context);
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
      {"linear or unnormalised", [](auto& o) { test::set(o, "--attention linear"); },
       [](auto& o) { test::set(o, "--attention linear-unnormalised"); }, kInSelf},
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
      {"scale", [](auto& o) { o.encoder.transformer.attention.scale = 0.3; },
       [](auto& o) { o.encoder.transformer.attention.scale = 0.9; }, kAll},
      // Two heads of 8 features: keys of 4.
      {"scale of its own", nothing, [](auto& o) { o.encoder.transformer.attention.scale = 0.5; },
       kNowhere},
      {"scale, unnormalised",
       [](auto& o) {
         test::set(o, "--attention linear-unnormalised"),
             o.encoder.transformer.attention.scale = 0.3;
       },
       [](auto& o) {
         test::set(o, "--attention linear-unnormalised"),
             o.encoder.transformer.attention.scale = 0.9;
       },
       kAll},
      {"scale, linear",
       [](auto& o) {
         test::set(o, "--attention linear"), o.encoder.transformer.attention.scale = 0.3;
       },
       [](auto& o) {
         test::set(o, "--attention linear"), o.encoder.transformer.attention.scale = 0.9;
       },
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
      {"rotary base, unnormalised",
       [](auto& o) { test::set(o, "--position rotary --attention linear-unnormalised"); },
       [](auto& o) {
         test::set(o, "--position rotary --attention linear-unnormalised --rotary-base 10");
       },
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
      {"residual scale, post", nothing,
       [](auto& o) { o.encoder.transformer.residual_scale = "0.5"; }, kAll},
      {"residual scale, pre", [](auto& o) { test::set(o, "--transformer-norm pre"); },
       [](auto& o) {
         test::set(o, "--transformer-norm pre"), o.encoder.transformer.residual_scale = "0.5";
       },
       kAll},
      {"epsilon", nothing, [](auto& o) { o.encoder.transformer.norm.epsilon = 0.01; }, kAll},
      {"epsilon, rms", [](auto& o) { test::set(o, "--norm-kind rms"); },
       [](auto& o) { test::set(o, "--norm-kind rms"), o.encoder.transformer.norm.epsilon = 0.01; },
       kAll},
      {"epsilon, batch", [](auto& o) { test::set(o, "--norm-kind batch"); },
       [](auto& o) {
         test::set(o, "--norm-kind batch"), o.encoder.transformer.norm.epsilon = 0.01;
       },
       kAll},
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
    scaled.encoder.transformer.attention.scale = 0.9;
    expect_difference(plain, look_at(sparse, Part::kEncoder), true);
    expect_difference(plain, look_at(scaled, Part::kEncoder), true);
  }
}

TEST(Seq2SeqWiring, OfDropoutActsInTrainingAlone) {
  const std::pair<const char*, Change> kinds[] = {
      {"dropout", [](auto& o) { o.encoder.transformer.dropout = 0.3; }},
      {"dropout-attention", [](auto& o) { o.encoder.transformer.attention.dropout = 0.3; }},
      {"dropout-ffn", [](auto& o) { o.encoder.transformer.feed_forward.dropout = 0.3; }},
      {"drop-path", [](auto& o) { o.encoder.transformer.drop_path = 0.5; }},
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

}  // namespace
}  // namespace weft::models
