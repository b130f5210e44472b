// Norms, residuals and layers in their variations, in a whole model: gradients against differences,
// and what they have to agree on.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ostream>
#include <stdexcept>

#include "tests/decode/small_model.h"
#include "tests/models/differences.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/nn/attention/kinds.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Seq2SeqOptions small_options() {
  Seq2SeqOptions o;
  o.encoder.enc_depth = o.decoder.dec_depth = 2;
  o.encoder.dim_emb = 8;
  o.encoder.transformer.attention.heads = 2;
  o.encoder.transformer.feed_forward.inner = 12;
  test::set(o, "--transformer-ffn-activation gelu");  // without a kink
  o.encoder.transformer.dropout = 0.1;
  return o;
}

Seq2SeqDims small_sizes() {
  return {.source_vocab = 11, .target_vocab = 9, .begin_id = 1, .end_id = 0};
}

data::Batch small_batch() {
  data::Batch out;
  const auto side = [](uint64_t stream, uint64_t vocabulary) {
    RandomStream random(5, stream);
    data::Tokens sequences;
    for (const size_t length : {4, 1, 6, 3}) {
      std::vector<int32_t> ids(length);
      for (int32_t& id : ids) id = static_cast<int32_t>(2 + random.below(vocabulary - 2));
      sequences.add(ids, 0);
    }
    return sequences;
  };
  out.fields = {side(1, 11), side(2, 9)};
  out.examples.resize(4);
  return out;
}

struct Case {
  const char* name;
  std::function<void(Seq2SeqOptions&)> change;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class Variations : public testing::TestWithParam<Case> {
 protected:
  Variations() {
    Seq2SeqOptions o = small_options();
    GetParam().change(o);
    model_ = Seq2Seq(o, small_sizes());
    named_ = nn::parameters_of(model_);
  }
  Tensor start(DType type) {
    const Tensor flat = nn::bind(named_, type);
    nn::initialise(named_, 3);
    return flat;
  }
  // The loss of a pass with dropout, and its gradient where `into` is not null.
  double loss(autograd::Gradients* into, bool recompute = false) {
    autograd::Tape tape;
    nn::Context context{.tape = into != nullptr ? &tape : nullptr, .training = true, .key = {1, 2}};
    context.recompute = recompute;
    const ops::Loss total = model_.loss(small_batch(), {.smoothing = 0.1, .weight = 0.1}, context);
    if (into != nullptr) tape.backward(total.value, *into);
    return total.value.item();
  }

  Seq2Seq model_;
  std::vector<nn::NamedParameter> named_;
};

TEST_P(Variations, HaveTheGradientThatDifferencesShow) {
  const Tensor flat = start(DType::kF64);
  autograd::Gradients gradients(flat);
  loss(&gradients);
  RandomStream random(17, 0);
  for (const auto& [name, p] : named_) {
    const auto at = static_cast<int64_t>(random.below(static_cast<uint64_t>(p->value.size())));
    double& x = p->value.data<double>()[at];
    const double before = x;
    constexpr double kStep = 1e-5;
    x = before + kStep;
    const double above = loss(nullptr);
    x = before - kStep;
    const double below = loss(nullptr);
    x = before;
    const double got = gradients.of(p->value).data<double>()[at];
    EXPECT_NEAR(got, (above - below) / (2 * kStep), 1e-8) << name << " at " << at;
  }
}

TEST_P(Variations, ABatchIsTheSumOfItsParts) {
  if (model_.options.encoder.transformer.norm.kind.is<nn::BatchNormOptions>())
    GTEST_SKIP() << "its statistics are of whole batches";
  const Tensor flat = start(DType::kF64);
  data::Batch all = small_batch();
  data::set_first(all, 20);
  const auto run = [&](const data::Batch& batch, autograd::Gradients& into) {
    autograd::Tape tape;
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const ops::Loss l = model_.loss(batch, {.smoothing = 0.1, .weight = 0.1}, context);
    tape.backward(l.value, into);
    return l.value.item();
  };
  autograd::Gradients whole(flat), parts(flat);
  const double loss = run(all, whole);
  const double sum = run(data::slice(all, 0, 1), parts) + run(data::slice(all, 1, 4), parts);
  EXPECT_NEAR(sum, loss, 1e-12);
  EXPECT_LT(test::distance(parts.flat(), whole.flat()), 1e-12);
}

TEST_P(Variations, RecomputedGiveTheSameGradients) {
  const Tensor flat = start(DType::kF32);
  autograd::Gradients kept(flat), again(flat);
  EXPECT_NEAR(loss(&kept), loss(&again, true), 1e-5);
  EXPECT_LT(test::distance(again.flat(), kept.flat()), 1e-5);
}

TEST_P(Variations, ScoreASequenceAloneAsAmongOthers) {
  start(DType::kF32);
  const data::Batch all = small_batch();
  const std::vector<double> together = model_.token_log_probabilities(all);
  const std::vector<double> alone = model_.token_log_probabilities(data::slice(all, 2, 3));
  const auto begin = static_cast<size_t>(all.target().segments.begin(2));
  for (size_t t = 0; t < alone.size(); ++t) EXPECT_EQ(alone[t], together[begin + t]) << t;
}

INSTANTIATE_TEST_SUITE_P(
    Models, Variations,
    testing::Values(
        Case{"PostRms", [](auto& o) { test::set(o, "--norm-kind rms"); }},
        Case{"PreRms", [](auto& o) { test::set(o, "--transformer-norm pre --norm-kind rms"); }},
        Case{"PostBatch", [](auto& o) { test::set(o, "--norm-kind batch"); }},
        Case{"PreBatch", [](auto& o) { test::set(o, "--transformer-norm pre --norm-kind batch"); }},
        Case{"SandwichRms",
             [](auto& o) {
               test::set(o, "--transformer-norm sandwich --norm-kind rms --drop-path 0.3");
             }},
        Case{"SandwichWithoutNormBiases",
             [](auto& o) { test::set(o, "--transformer-norm sandwich --norm-bias false"); }},
        Case{"PostWithoutNormBiases", [](auto& o) { test::set(o, "--norm-bias false"); }},
        Case{
            "PreWithoutTheFirstNorm",
            [](auto& o) { test::set(o, "--transformer-norm pre --transformer-first-norm false"); }},
        Case{"DeepNorm", [](auto& o) { o.encoder.transformer.residual_scale = "deepnorm"; }},
        Case{"ScaledPre",
             [](auto& o) {
               test::set(o, "--transformer-norm pre"), o.encoder.transformer.residual_scale = "0.7";
             }},
        Case{"DropPath", [](auto& o) { o.encoder.transformer.drop_path = 0.5; }},
        Case{"IndexPositions",
             [](auto& o) { test::set(o, "--position index --position-scale 0.1"); }},
        Case{"LearnedPositions",
             [](auto& o) {
               test::set(o, "--position learned");
               o.encoder.position.max_positions = 7;  // the longest sequence uses them all
             }},
        Case{"AlibiPositions", [](auto& o) { test::set(o, "--position alibi"); }},
        Case{"LocalAndFullLayers",
             [](auto& o) {
               test::set(o,
                         "--attention local --attention-window 1 --attention-full-every 2 "
                         "--attention-full-first 2 --position rotary --rotary-base 50 "
                         "--rotary-scaling linear --rotary-local-base 10 --rotary-local-factor 2");
             }},
        Case{"SoftCaps",
             [](auto& o) {
               test::set(o,
                         "--attention-soft-cap 0.5 --output-soft-cap 0.7 --position relative "
                         "--transformer-dropout-attention 0.1");
             }},
        Case{"ValueBiasesAlone",
             [](auto& o) {
               test::set(o,
                         "--attention-query-bias false --attention-key-bias false "
                         "--attention-output-bias false");
             }},
        Case{"QueryBiasesAlone",
             [](auto& o) {
               test::set(o, "--attention-key-bias false --attention-value-bias false");
             }},
        Case{"QkRms", [](auto& o) { test::set(o, "--attention-qk-norm rms --position rotary"); }},
        Case{"QkCosine",
             [](auto& o) {
               test::set(o, "--attention-qk-norm l2"),
                   o.encoder.transformer.attention.key_heads = 1;
             }},
        Case{"LinearAttention", [](auto& o) { test::set(o, "--attention linear"); }},
        Case{"UnnormalisedLinearAttentionRotated",
             [](auto& o) { test::set(o, "--attention linear-unnormalised --position rotary"); }},
        Case{"AverageAttention", [](auto& o) { test::set(o, "--attention average"); }},
        Case{"Linformer",
             [](auto& o) {
               test::set(o, "--attention linformer --attention-in encoder --attention-keys 3"),
                   o.encoder.position.max_positions = 8,
                   o.encoder.transformer.attention.dropout = 0.1;
               test::set(o, "--attention-qk-norm rms");
             }},
        Case{"DenseSynthesizer",
             [](auto& o) {
               test::set(o, "--attention synthesizer-dense"), o.encoder.position.max_positions = 8;
               test::set(o, "--position relative"), o.encoder.transformer.attention.dropout = 0.1;
             }},
        Case{"RandomSynthesizer",
             [](auto& o) {
               test::set(o, "--attention synthesizer-random"), o.encoder.position.max_positions = 8;
               test::set(o, "--attention-activation sigmoid"),
                   o.encoder.transformer.attention.key_heads = 1;
             }},
        Case{"Clusters",
             [](auto& o) {
               test::set(o, "--attention clustered --attention-clusters 2");
               o.encoder.transformer.attention.dropout = 0.1;
             }},
        Case{"Hashes",
             [](auto& o) {
               test::set(o,
                         "--attention clustered --attention-clusters 4 --attention-clustering hash "
                         "--attention-rounds 2");
             }},
        Case{"SortedBlocks",
             [](auto& o) {
               test::set(o, "--attention sinkhorn --attention-in encoder --attention-block 2"),
                   o.encoder.transformer.attention.dropout = 0.1;
               test::set(o, "--attention-activation entmax15");
             }},
        Case{"TiedLayers", [](auto& o) { o.encoder.transformer.tied_layers = {1}; }},
        Case{"DiagonalPrior",
             [](auto& o) {
               test::set(o,
                         "--attention-prior diagonal --attention-prior-width 2 "
                         "--attention-prior-ratio 1.5");
             }},
        Case{"MonotonicPrior", [](auto& o) { test::set(o, "--attention-prior monotonic"); }},
        Case{"AllTogether",
             [](auto& o) {
               o.encoder.enc_depth = o.decoder.dec_depth = 3;
               test::set(o, "--norm-kind rms");
               o.encoder.transformer.residual_scale = "deepnorm";
               o.encoder.transformer.drop_path = 0.3;
               o.encoder.transformer.tied_layers = {1, 2, 1};
             }}),
    [](const auto& name) { return std::string(name.param.name); });

TEST(Seq2Seq, KeepsTiedLayersOnce) {
  Seq2SeqOptions o = small_options();
  Seq2Seq free(o, small_sizes());
  o.encoder.transformer.tied_layers = {1};
  Seq2Seq tied(o, small_sizes());
  EXPECT_LT(nn::parameters_of(tied).size(), nn::parameters_of(free).size());
  for (const auto& [name, p] : nn::parameters_of(tied)) {
    EXPECT_EQ(name.find("layers.1."), std::string::npos) << name;
  }
}

// A softmax over keys does not see what all of their scores have in common, and so has nothing to
// tell of a bias of keys. Other attention has.
bool may_have_no_gradient(const Seq2SeqOptions& o, std::string_view name) {
  if (!name.ends_with("k_proj.bias")) return false;
  const nn::AttentionOptions& attention = o.encoder.transformer.attention;
  const bool is_elementwise =
      attention.activation.visit([](const auto& kind) { return kind.kElementwise; });
  const bool is_linear = attention.soft_cap == 0 && attention.qk_norm.is<nn::NoQkNormOptions>();
  if (is_elementwise || !is_linear) return false;
  if (name.find("encoder_attn") != std::string_view::npos) return true;
  const bool is_encoder = name.starts_with("model.encoder.");
  const LayerOptions layers = is_encoder ? o.encoder_options() : o.decoder_layers();
  const nn::AttentionChoice& kind = layers.transformer.attention.kind.choice();
  // Rotary positions rotate each key's bias another way.
  return kind.is<nn::FullAttentionOptions, nn::LocalAttentionOptions, nn::BlockSparseOptions>() &&
         !o.encoder.position.kind.is<nn::RotaryPositionOptions>();
}

double largest(const Tensor& x) {
  double out = 0;
  for (const double element : test::values(x)) out = std::max(out, std::abs(element));
  return out;
}

TEST(Seq2Seq, TrainsEveryParameterButBiasesOfKeysUnderSoftmax) {
  data::Batch batch;
  batch.fields = {decode::random_sentences(6, 12), decode::random_sentences(6, 12)};
  batch.examples.resize(6);
  int without = 0;
  for (const decode::ModelCase& c : decode::model_cases()) {
    SCOPED_TRACE(c.name);
    Seq2Seq model(c.options,
                  {.source_vocab = 50, .target_vocab = 50, .begin_id = 2, .end_id = decode::kEnd});
    const Tensor flat = bind_in_no_special_place(model);
    autograd::Gradients gradients(flat);
    autograd::Tape tape;
    nn::Context context{.tape = &tape};
    const ops::Loss loss = model.loss(batch, {.smoothing = 0.1}, context);
    tape.backward(loss.value, gradients);
    // Rounding leaves less of a sum that is 0.
    const double nothing = 1e-11 * largest(gradients.flat());
    for (const auto& [name, p] : nn::parameters_of(model)) {
      if (p->is_buffer) continue;
      const bool has_none = may_have_no_gradient(c.options, name);
      EXPECT_EQ(largest(gradients.of(p->value)) <= nothing, has_none) << name;
      without += has_none ? 1 : 0;
    }
  }
  EXPECT_GT(without, 0);
}

// A model of three layers a side whose third has the weights of its first, and one without ties.
struct TiedAndFree {
  Seq2Seq tied, free;
  Tensor tied_flat, free_flat;

  TiedAndFree() {
    Seq2SeqOptions o = small_options();
    o.encoder.enc_depth = o.decoder.dec_depth = 3;
    o.encoder.transformer.drop_path = 0.1;
    free = Seq2Seq(o, small_sizes());
    o.encoder.transformer.tied_layers = {1, 2, 1};
    tied = Seq2Seq(o, small_sizes());
    tied_flat = bind_in_no_special_place(tied);
    free_flat = bind_in_no_special_place(free);
  }

  // Where the tied model has what the free one calls `name`.
  static std::string tied_name(std::string name) {
    const size_t at = name.find("layers.2.");
    if (at != std::string::npos) name.replace(at, 9, "layers.0.");
    return name;
  }
  nn::Parameter& tied_parameter(const std::string& name) {
    for (const auto& [known, p] : nn::parameters_of(tied)) {
      if (known == name) return *p;
    }
    throw std::runtime_error("no parameter " + name);
  }
  void copy_to_free(bool with_third = true) {
    for (const auto& [name, p] : nn::parameters_of(free)) {
      if (!with_third && tied_name(name) != name) continue;
      backend_of(p->value)(
          kernels::Copy{.x = tied_parameter(tied_name(name)).value, .y = p->value});
    }
  }
  // With dropout and stochastic depth, which tell the first from the third layer.
  static Tensor logits(const Seq2Seq& model) {
    nn::Context context{.training = true, .key = {1, 2}};
    return model.decoder.logits(model.states(small_batch(), context), context);
  }
  static autograd::Gradients gradients(const Seq2Seq& model, const Tensor& flat) {
    autograd::Gradients out(flat);
    autograd::Tape tape;
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    tape.backward(model.loss(small_batch(), {.smoothing = 0.1, .weight = 0.1}, context).value, out);
    return out;
  }
};

TEST(Seq2Seq, RunsATiedLayerAsACopyOfTheLayerItIsTiedTo) {
  TiedAndFree both;
  const Tensor tied = TiedAndFree::logits(both.tied);
  both.copy_to_free(false);
  EXPECT_GT(test::distance(TiedAndFree::logits(both.free), tied), 1e-3);
  both.copy_to_free();
  EXPECT_LT(test::distance(TiedAndFree::logits(both.free), tied), 1e-12);
}

TEST(Seq2Seq, GivesATiedLayerTheGradientsOfAllItsCopies) {
  TiedAndFree both;
  both.copy_to_free();
  const autograd::Gradients tied = TiedAndFree::gradients(both.tied, both.tied_flat);
  const autograd::Gradients free = TiedAndFree::gradients(both.free, both.free_flat);
  std::map<std::string, std::vector<Tensor>> copies;  // of each tied parameter
  for (const auto& [name, p] : nn::parameters_of(both.free)) {
    copies[TiedAndFree::tied_name(name)].push_back(free.of(p->value));
  }
  int summed = 0;
  for (const auto& [name, p] : nn::parameters_of(both.tied)) {
    ASSERT_TRUE(copies.contains(name)) << name;
    const bool is_shared = name.find("layers.0.") != std::string::npos;
    ASSERT_EQ(copies[name].size(), is_shared ? 2u : 1u) << name;
    Tensor sum = copies[name][0].clone();
    if (is_shared) {
      backend_of(sum)(kernels::Accumulate{.alpha = 1, .x = copies[name][1], .y = sum});
      ++summed;
      // Neither part may be lost in the tolerance.
      if (!name.ends_with("k_proj.bias")) {
        EXPECT_GT(std::min(largest(copies[name][0]), largest(copies[name][1])), 1e-9) << name;
      }
    }
    EXPECT_LT(test::distance(tied.of(p->value), sum), 1e-12) << name;
  }
  EXPECT_GT(summed, 0);
}

TEST(Seq2Seq, TakesDeepNormsNumbersFromTheDepths) {
  Seq2SeqOptions o = small_options();
  o.encoder.enc_depth = 4, o.decoder.dec_depth = 3;
  o.encoder.transformer.residual_scale = "deepnorm";
  const Seq2Seq model(o, small_sizes());
  const nn::Block& encoder = std::get<nn::Stack>(model.encoder.kind).layers[0];
  const nn::Block& decoder = std::get<nn::Stack>(model.decoder.layers.kind).layers[0];
  EXPECT_NEAR(encoder.self_residual.scale, 0.81 * std::pow(4 * 4 * 4 * 4 * 3, 0.0625), 1e-12);
  EXPECT_NEAR(decoder.cross_residual.scale, std::pow(9, 0.25), 1e-12);
  EXPECT_NEAR(encoder.feed_forward.fc1_weight.gain, 0.87 / std::pow(768, 0.0625), 1e-12);
  EXPECT_NEAR(decoder.encoder_attn->v_weight.gain, std::pow(36, -0.25), 1e-12);
  EXPECT_EQ(decoder.encoder_attn->q_weight.gain, 1);
}

TEST(Seq2Seq, HasTheKindOfAttentionWhereItIsAskedFor) {
  Seq2SeqOptions o = small_options();
  test::set(o, "--attention linear");
  for (const char* side : {"all", "encoder", "decoder"}) {
    test::set(o, fmt::format("--attention-in {}", side));
    const Seq2Seq model(o, small_sizes());
    const auto is_linear = [](const nn::MultiHeadAttention& attention) {
      return std::holds_alternative<nn::LinearAttention>(attention.config.kind.module());
    };
    const nn::Block& decoder = std::get<nn::Stack>(model.decoder.layers.kind).layers[0];
    EXPECT_EQ(is_linear(std::get<nn::Stack>(model.encoder.kind).layers[0].self_attn),
              std::string_view(side) != "decoder");
    EXPECT_EQ(is_linear(decoder.self_attn), std::string_view(side) != "encoder");
    EXPECT_FALSE(is_linear(*decoder.encoder_attn));
  }
}

TEST(Seq2Seq, NamesVariationsThatContradict) {
  const auto make = [](const std::function<void(Seq2SeqOptions&)>& change) {
    return [change] {
      Seq2SeqOptions o = small_options();
      change(o);
      Seq2Seq(o, small_sizes());
    };
  };
  const auto expect = [](const std::function<void()>& call, const char* message) {
    EXPECT_THAT(call, ThrowsMessage<OptionError>(HasSubstr(message)));
  };
  expect(make([](auto& o) {
           test::set(o, "--transformer-norm pre"),
               o.encoder.transformer.residual_scale = "deepnorm";
         }),
         "deepnorm is made for norms after the sublayers");
  expect(make([](auto& o) {
           test::set(o, "--norm-kind batch"), o.encoder.transformer.tied_layers = {1};
         }),
         "would mix their running statistics");
  for (const char* text : {"deep", "0", "-1", "1x", "", "nan", "1e-300", "9e-7", "1e7"}) {
    expect(make([text](auto& o) { o.encoder.transformer.residual_scale = text; }),
           "--residual-scale: expected a number from 1e-06 to 1000000, or deepnorm");
  }
  for (const double scale : {1e-300, 9e-7}) {
    expect(make([scale](auto& o) { o.encoder.transformer.attention.scale = scale; }),
           "--attention-scale: expected a number from 1e-06 to 1000000, or 0");
  }
  expect(make([](auto& o) { test::set(o, "--norm-kind group"); }),
         "expected one of layer, rms, batch");
}

}  // namespace
}  // namespace weft::models
