// Encoder-decoders of every --type: gradients against differences, bfloat16, and the options that a
// type does not read.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/differences.h"
#include "tests/models/random_batch.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/ops/fused/enabled.h"

namespace weft::models {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr Seq2SeqDims kKindDims{.source_vocab = 9, .target_vocab = 8, .begin_id = 2, .end_id = 0};

struct KindCase {
  const char *name, *type, *cell, *attention, *enc_type;
  int64_t enc_depth, dec_depth;
  bool feeds = false;

  friend std::ostream& operator<<(std::ostream& out, const KindCase& c) { return out << c.name; }
  Seq2SeqOptions options(int64_t dim_emb) const {
    Seq2SeqOptions o;
    test::set(o, fmt::format("--type {}", type));
    o.encoder.dim_emb = dim_emb;
    o.encoder.enc_depth = enc_depth;
    o.decoder.dec_depth = dec_depth;
    if (o.is_transformer()) {
      o.encoder.transformer.attention.heads = 2;
      o.encoder.transformer.feed_forward.inner = 2 * dim_emb;
      return o;
    }
    test::set(o, fmt::format("--rnn-cell {} --rnn-attention {} --enc-type {} "
                             "--rnn-input-feeding {}",
                             cell, attention, enc_type, feeds));
    o.encoder.recurrent.dropout = 0.2;
    return o;
  }
};

constexpr KindCase kKindCases[] = {
    {"Transformer", "transformer", "", "", "", 1, 1},
    {"Lstm", "rnn", "lstm", "bahdanau", "auto", 2, 2},
    {"TanhOfOtherDepths", "rnn", "tanh", "bahdanau", "auto", 1, 2},
    {"GruReadBothWays", "rnn", "gru", "bahdanau", "bidirectional", 2, 1},
    {"BahdanauLstm", "rnn-attention", "lstm", "bahdanau", "auto", 1, 2},
    {"BahdanauGru", "rnn-attention", "gru", "bahdanau", "unidirectional", 2, 1},
    {"LuongLstm", "rnn-attention", "lstm", "luong", "auto", 2, 2},
    {"LuongRelu", "rnn-attention", "relu", "luong", "unidirectional", 1, 1},
    {"InputFeedingLstm", "rnn-attention", "lstm", "luong", "auto", 1, 2, true},
    {"InputFeedingTanh", "rnn-attention", "tanh", "luong", "unidirectional", 2, 1, true},
    {"Convolutions", "cnn", "lstm", "bahdanau", "auto", 2, 1},
    {"ConvolutionsLuong", "cnn", "gru", "luong", "auto", 3, 1},
};

class Kinds : public testing::TestWithParam<KindCase> {
 protected:
  static LossAndGradient run(const Seq2Seq& model, const Tensor& parameters,
                             const data::Batch& batch) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const ops::Loss loss = model.loss(batch, {.smoothing = 0.1, .weight = 0.1}, context);
    tape.backward(loss.value, gradients);
    return {loss.value.item(), gradients.flat()};
  }
};

TEST_P(Kinds, HaveTheGradientThatDifferencesShow) {
  Seq2Seq model(GetParam().options(4), kKindDims);
  const Tensor flat = bind_in_no_special_place(model);
  data::Batch batch = random_batch(3, 5);
  data::set_first(batch, 3);  // masks with which no activation is within a step of its kink
  expect_gradient_of_differences(model, flat, [&] { return run(model, flat, batch); });
}

TEST_P(Kinds, ABatchIsTheSumOfItsParts) {
  Seq2Seq model(GetParam().options(8), kKindDims);
  const Tensor flat = bind_in_no_special_place(model);
  expect_a_batch_to_be_the_sum_of_its_parts(
      random_batch(9, 6), [&](const data::Batch& batch) { return run(model, flat, batch); });
}

TEST_P(Kinds, FrozenPartsChangeNoOtherGradient) {
  Seq2Seq model(GetParam().options(8), kKindDims);
  const Tensor flat = bind_in_no_special_place(model);
  const data::Batch batch = random_batch(9, 6);
  expect_frozen_parts_to_change_no_other_gradient(
      model, flat, [&](const Seq2Seq& frozen, const Tensor& parameters) {
        return run(frozen, parameters, batch);
      });
}

TEST_P(Kinds, Bfloat16GivesGradientsOfTheSameDirection) {
  if (!kernels::default_backend().is_fast_in(DType::kBF16) || !ops::fused_enabled()) {
    GTEST_SKIP() << "no kernels for bfloat16 here";
  }
  Seq2Seq model(GetParam().options(32), kKindDims);
  const auto named = nn::parameters_of(model);
  const Tensor flat = nn::bind(named);
  nn::initialise(named, 3);
  Seq2Seq rounded = model;
  const Tensor parameters = bind_rounded(rounded, flat);
  const data::Batch batch = random_batch(16, 12);
  const LossAndGradient exact = run(model, flat, batch), result = run(rounded, parameters, batch);
  EXPECT_NEAR(result.loss / exact.loss, 1, 0.01);
  EXPECT_GT(cosine(exact.gradient, result.gradient), 0.995);
}

TEST_P(Kinds, ScoreASequenceAsTheyDoAmongOthers) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sequence at a time";
  Seq2Seq model(GetParam().options(32), kKindDims);
  const auto named = nn::parameters_of(model);
  const Tensor flat = nn::bind(named);
  nn::initialise(named, 3);
  const data::Batch all = random_batch(12, 10);
  const std::vector<double> together = model.token_log_probabilities(all);
  size_t at = 0;
  for (int64_t b = 0; b < all.size(); ++b) {
    data::Batch one{.fields = {data::Tokens(), data::Tokens()}, .examples = {0}};
    one.tokens(0).add(all.source()[b]);
    one.tokens(1).add(all.target()[b]);
    for (const double p : model.token_log_probabilities(one)) EXPECT_EQ(p, together[at++]) << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Kinds, testing::ValuesIn(kKindCases),
                         [](const auto& name) { return std::string(name.param.name); });

TEST(UnreadOptions, AreErrorsThatNameTheTypeToo) {
  struct Misuse {
    void (*set)(Seq2SeqOptions& o);
    const char* message;
  };
  const Misuse all[] = {
      {[](auto& o) { test::set(o, "--rnn-cell gru"); },
       "--rnn-cell: belongs to --type rnn, rnn-attention or cnn; got it with transformer"},
      {[](auto& o) { o.encoder.cnn_width = 5; },
       "--cnn-width: belongs to --type cnn; got it with transformer"},
      {[](auto& o) { test::set(o, "--type rnn"), o.encoder.transformer.attention.heads = 4; },
       "--transformer-heads: belongs to --type transformer; got it with rnn"},
      {[](auto& o) { test::set(o, "--type rnn --rnn-attention luong"); },
       "--rnn-attention: belongs to --type rnn-attention or cnn; got it with rnn"},
      {[](auto& o) { test::set(o, "--type rnn-attention --position learned"); },
       "--position: belongs to --type transformer or cnn; got it with rnn-attention"},
      {[](auto& o) { test::set(o, "--type cnn --enc-type bidirectional"); },
       "--enc-type: belongs to --type rnn or rnn-attention; got it with cnn"},
      {[](auto& o) { test::set(o, "--type cnn --rnn-input-feeding"); },
       "--rnn-input-feeding: belongs to --rnn-attention luong; got it with bahdanau"},
      {[](auto& o) { test::set(o, "--type cnn"), o.encoder.cnn_width = 4; },
       "--cnn-width: expected an odd number of tokens, got 4"},
  };
  for (const Misuse& misuse : all) {
    Seq2SeqOptions o;
    misuse.set(o);
    EXPECT_THAT([&] { Seq2Seq(o, kKindDims); },
                ThrowsMessage<OptionError>(HasSubstr(misuse.message)));
  }
}

TEST(UnreadOptions, OfOtherKindsMayStandAtTheirDefaults) {
  Seq2SeqOptions o;
  test::set(o, "--type cnn --position learned");
  o.encoder.dim_emb = 6;  // eight heads, the default, would not divide it
  EXPECT_TRUE(Seq2Seq(o, kKindDims).has_attention());
  o = {};
  test::set(o, "--type rnn");
  EXPECT_FALSE(Seq2Seq(o, kKindDims).has_attention());
}

}  // namespace
}  // namespace weft::models
