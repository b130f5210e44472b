// Models that predict all positions of a sequence at once: what is masked, losses against slow
// ones, gradients against differences.
#include "weft/models/seq2seq/non_autoregressive.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/models/differences.h"
#include "tests/models/random_batch.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/losses/ctc.h"
#include "weft/ops/softmax.h"

namespace weft::models {
namespace {

using testing::HasSubstr;

constexpr Seq2SeqDims kSmallDims{.source_vocab = 9, .target_vocab = 8, .begin_id = 2, .end_id = 0};

struct GenerationCase {
  const char *name, *generation, *length_from;
  friend std::ostream& operator<<(std::ostream& out, const GenerationCase& k) {
    return out << k.name;
  }
  Seq2SeqOptions options(int64_t dim_emb) const {
    Seq2SeqOptions o;
    o.encoder.enc_depth = o.decoder.dec_depth = 1;
    o.encoder.dim_emb = dim_emb;
    o.encoder.transformer.attention.heads = 2;
    o.encoder.transformer.feed_forward.inner = 2 * dim_emb;
    o.encoder.transformer.dropout = 0.2;
    test::set(o, fmt::format("--generation {} --length-from {}", generation, length_from));
    if (o.predicts_length()) test::set(o, "--length-difference 3");
    return o;
  }
};

constexpr GenerationCase kGenerations[] = {{"MaskPredict", "mask-predict", "classifier"},
                                           {"ParallelByLength", "parallel", "classifier"},
                                           {"ParallelUpToTheEnd", "parallel", "end"},
                                           {"Ctc", "ctc", "classifier"}};

// Of words other than the end symbol.
data::Batch batch_of(int64_t count, uint64_t longest) { return random_batch(count, longest, 1); }

class NonAutoregressive : public testing::TestWithParam<GenerationCase> {
 protected:
  static LossAndGradient run(const Seq2Seq& model, const Tensor& parameters,
                             const data::Batch& batch) {
    autograd::Tape tape;
    autograd::Gradients gradients(parameters);
    nn::Context context{.tape = &tape, .training = true, .key = {1, 2}};
    const NonAutoregressiveParams params{.token = {.smoothing = 0.1, .weight = 0.1},
                                         .length_weight = 0.7};
    const ops::Loss loss = non_autoregressive_loss(model, batch, params, context);
    tape.backward(loss.value, gradients);
    EXPECT_NEAR(loss.value.item(), 0.1 * loss.total, 1e-4);
    return {loss.value.item(), gradients.flat()};
  }
  static Tensor fill(Seq2Seq& model) {
    const auto named = nn::parameters_of(model);
    Tensor flat = nn::bind(named);
    nn::initialise(named, 3);
    return flat;
  }
};

TEST_P(NonAutoregressive, HasTheGradientThatDifferencesShow) {
  Seq2Seq model(GetParam().options(4), kSmallDims);
  const Tensor flat = bind_in_no_special_place(model);
  const data::Batch batch = batch_of(4, 5);
  expect_gradient_of_differences(model, flat, [&] { return run(model, flat, batch); });
}

TEST_P(NonAutoregressive, ABatchIsTheSumOfItsParts) {
  Seq2Seq model(GetParam().options(8), kSmallDims);
  const Tensor flat = bind_in_no_special_place(model);
  expect_a_batch_to_be_the_sum_of_its_parts(
      batch_of(9, 6), [&](const data::Batch& batch) { return run(model, flat, batch); });
}

TEST_P(NonAutoregressive, Bfloat16GivesGradientsOfTheSameDirection) {
  if (!kernels::default_backend().is_fast_in(DType::kBF16) || !ops::fused_enabled()) {
    GTEST_SKIP() << "no kernels for bfloat16 here";
  }
  Seq2Seq model(GetParam().options(32), kSmallDims);
  const Tensor flat = fill(model);
  Seq2Seq rounded = model;
  const Tensor parameters = bind_rounded(rounded, flat);
  const data::Batch batch = batch_of(16, 12);
  const LossAndGradient exact = run(model, flat, batch), result = run(rounded, parameters, batch);
  EXPECT_NEAR(result.loss / exact.loss, 1, 0.01);
  EXPECT_GT(cosine(exact.gradient, result.gradient), 0.99);
}

// log p of each class at each position of one sequence.
Tensor log_probabilities(const Seq2Seq& model, const DecoderInput& input,
                         const nn::Memory& memory) {
  nn::Context plain;
  return ops::log_softmax(model.decoder.logits(model.decode(input, memory, plain), plain), nullptr);
}

// -log p of one pair without dropout, all masked, in the plainest way.
double slow_loss(const Seq2Seq& model, const data::Batch& pair) {
  const Seq2SeqOptions& o = model.options;
  const std::vector<int32_t>&source = pair.source().ids, &target = pair.target().ids;
  nn::Context plain;
  const nn::Memory memory = model.encode({source, pair.source().segments}, plain);
  const auto words = static_cast<int32_t>(target.size()) - 1, s = static_cast<int>(source.size());
  const bool is_up_to_end = o.generation.is<Parallel>() && !o.predicts_length();
  int32_t count = words + 1;
  if (o.is_ctc()) count = 2 * s;
  if (is_up_to_end) count = std::max(words + 1, static_cast<int>(1.5 * s) + 5 + 1);
  DecoderInput input;
  input.is_copied = !o.is_mask_predict();
  for (int32_t t = 0; t < count; ++t) {
    const bool is_masked = o.is_mask_predict() && t < words;
    input.ids.push_back(input.is_copied ? source[t * s / count] : is_masked ? 2 : 0);
    if (is_masked) input.masked.push_back(t);
  }
  const std::vector<int32_t> offsets = {0, count};
  input.rows = ops::make_layout({offsets});
  const Tensor log_p = log_probabilities(model, input, memory);
  double loss = 0;
  if (o.is_ctc()) {
    const ops::LabelsPtr labels =
        ops::make_labels({target.begin(), target.end() - 1}, {{0, words}});
    return ops::ctc(log_p, input.rows, labels, {}, nullptr).losses[0];
  }
  for (int32_t t = 0; t < (o.predicts_length() ? words : words + 1); ++t) {
    loss -= log_p.data<double>()[t * log_p.cols() + target[t]];
  }
  if (!o.predicts_length()) return loss;
  const Tensor lengths = ops::log_softmax(model.length_logits(memory, plain), nullptr);
  return loss - lengths.data<double>()[std::clamp(words + 1 - s, -3, 3) + 3];
}

TEST_P(NonAutoregressive, OutsideTrainingTheLossIsThatOfAllTokens) {
  Seq2Seq model(GetParam().options(8), kSmallDims);
  bind_in_no_special_place(model);
  const data::Batch all = batch_of(9, 7);
  nn::Context plain;
  double slow = 0;
  for (int64_t b = 0; b < all.size(); ++b) slow += slow_loss(model, data::slice(all, b, b + 1));
  EXPECT_NEAR(model.loss(all, {}, plain).nll, slow, 1e-9);
}

TEST_P(NonAutoregressive, HasNoStatesFromLeftToRight) {
  Seq2Seq model(GetParam().options(8), kSmallDims);
  fill(model);
  EXPECT_THAT([&] { model.token_log_probabilities(batch_of(2, 3)); },
              testing::ThrowsMessage<OptionError>(
                  HasSubstr("does not predict a token from those before it")));
}

INSTANTIATE_TEST_SUITE_P(Models, NonAutoregressive, testing::ValuesIn(kGenerations),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST(MaskPredict, SeesTokensThatAreNotMaskedAndOnBothSides) {
  Seq2Seq model(kGenerations[0].options(8), kSmallDims);
  nn::bind(nn::parameters_of(model), DType::kF64);
  nn::initialise(nn::parameters_of(model), 3);
  nn::Context plain;
  const nn::Memory memory = model.encode({{3, 4, 0}, {{0, 3}}}, plain);
  const auto first = [&](std::vector<int32_t> ids, std::vector<int32_t> masked) {
    const std::vector<int32_t> offsets = {0, static_cast<int32_t>(ids.size())};
    return log_probabilities(
               model, {ops::make_layout({offsets}), std::move(ids), std::move(masked)}, memory)
        .row_range(0, 1);
  };
  const Tensor one = first({2, 5, 6, 0}, {0});
  EXPECT_GT(test::distance(one, first({2, 5, 7, 0}, {0})), 1e-4);  // a token after it
  // The mask is not the begin symbol that it is made of.
  EXPECT_GT(test::distance(one, first({2, 5, 6, 0}, {})), 1e-4);
}

TEST(MaskPredict, TrainsOnMaskedTokensAlone) {
  Seq2SeqOptions o = kGenerations[0].options(8);
  o.encoder.transformer.dropout = 0;
  Seq2Seq model(o, kSmallDims);
  nn::bind(nn::parameters_of(model), DType::kF64);
  nn::initialise(nn::parameters_of(model), 3);
  data::Batch all = batch_of(9, 7);
  data::set_first(all, 30);
  nn::Context plain, training{.training = true, .key = {4, 5}};
  const ops::Loss loss = non_autoregressive_loss(model, all, {.length_weight = 0.5}, training);
  double smoothed = 0, nll = 0;
  for (int32_t b = 0; b < 9; ++b) {
    const data::Batch pair = data::slice(all, b, b + 1);
    const std::vector<int32_t>& target = pair.target().ids;
    const auto words = static_cast<int32_t>(target.size()) - 1;
    const nn::Memory memory = model.encode(pair.source(), plain);
    DecoderInput input{ops::make_layout(pair.target().segments), target,
                       draw_masked({4, 5}, 30 + b, words)};
    for (const int32_t t : input.masked) input.ids[t] = 2;
    const Tensor log_p = log_probabilities(model, input, memory);
    for (const int32_t t : input.masked) {
      const double each = -log_p.data<double>()[t * log_p.cols() + target[t]];
      smoothed += 2.0 * words / (words + 1) * each;
      nll += each;
    }
    const Tensor lengths = ops::log_softmax(model.length_logits(memory, plain), nullptr);
    const auto difference = static_cast<int>(target.size() - pair.source().ids.size());
    const double length = -lengths.data<double>()[std::clamp(difference, -3, 3) + 3];
    smoothed += 0.5 * length;
    nll += length;
  }
  EXPECT_NEAR(loss.total, smoothed, 1e-5);
  EXPECT_NEAR(loss.nll, nll, 1e-9);
}

TEST(NonAutoregressiveLoss, CountsTokensAndLengthsByTheirWeights) {
  for (const GenerationCase& kind : {kGenerations[0], kGenerations[1], kGenerations[2]}) {
    Seq2Seq model(kind.options(8), kSmallDims);
    nn::bind(nn::parameters_of(model), DType::kF64);
    nn::initialise(nn::parameters_of(model), 3);
    const data::Batch all = batch_of(6, 7);
    auto weights = std::make_shared<std::vector<float>>();
    double expected = 0;
    for (int32_t b = 0; b < 6; ++b) {
      weights->insert(weights->end(), all.target()[b].size(), 0.25f * static_cast<float>(b));
      nn::Context plain;
      expected += 0.25 * b * model.loss(data::slice(all, b, b + 1), {}, plain).total;
    }
    nn::Context plain;
    EXPECT_NEAR(model.loss(all, {.row_weights = weights}, plain).total, expected, 1e-5);
  }
}

TEST(Masks, AreDrawnEvenly) {
  std::vector<int> counts(5, 0), positions(4, 0);
  std::set<std::vector<int32_t>> pairs;
  for (int32_t s = 0; s < 4000; ++s) {
    const std::vector<int32_t> masked = draw_masked({7, 9}, s, 4);
    EXPECT_TRUE(std::ranges::is_sorted(masked));
    ++counts.at(masked.size());
    for (const int32_t t : masked) ++positions.at(t);
    if (masked.size() == 2) pairs.insert(masked);
  }
  EXPECT_EQ(counts[0], 0);
  for (int n = 1; n <= 4; ++n) EXPECT_NEAR(counts[n], 1000, 120) << n;
  for (const int count : positions) EXPECT_NEAR(count, 2500, 150);
  EXPECT_EQ(pairs.size(), 6u);
  EXPECT_TRUE(draw_masked({7, 9}, 5, 0).empty());
}

TEST(Masks, DependOnSeedUpdateAndSequenceAlone) {
  const auto draws = [](PhiloxKey key) {
    std::vector<std::vector<int32_t>> out;
    for (int32_t s = 0; s < 20; ++s) out.push_back(draw_masked(key, s, 9));
    return out;
  };
  EXPECT_EQ(draws({1, 2}), draws({1, 2}));
  EXPECT_NE(draws({1, 2}), draws({1, 3}));
  EXPECT_NE(draws({1, 2}), draws({2, 2}));
}

TEST(Masks, CountEveryTokenOnceInTheMean) {
  data::Tokens target;
  target.add(std::vector<int32_t>{3, 4, 5}, 0);
  double sum = 0;
  constexpr int kDraws = 4000;
  for (uint32_t update = 0; update < kDraws; ++update) {
    const PhiloxKey key = {1, update};
    sum += 2.0 * 3 / (3 + 1) * static_cast<double>(mask_targets(target, 2, &key).targets.size());
  }
  EXPECT_NEAR(sum / kDraws, 3, 0.06);
}

TEST(Ctc, CountsATargetThatItsPositionsCannotSpellAsNothing) {
  Seq2Seq model(kGenerations[3].options(8), kSmallDims);
  nn::bind(nn::parameters_of(model), DType::kF32);
  nn::initialise(nn::parameters_of(model), 3);
  data::Batch batch{.fields = {data::Tokens(), data::Tokens()}, .examples = {0}};
  batch.tokens(0).add({}, 0);  // two positions
  batch.tokens(1).add(std::vector<int32_t>{3, 4, 5}, 0);
  nn::Context plain;
  EXPECT_EQ(model.loss(batch, {}, plain).nll, 0);
}

std::string refusal_of(const std::function<void(Seq2SeqOptions&)>& change) {
  Seq2SeqOptions o = kGenerations[0].options(8);
  test::set(o, "--length-difference 32");  // the default
  change(o);
  try {
    Seq2Seq(o, kSmallDims);
  } catch (const OptionError& e) {
    return e.what();
  }
  return "";
}

TEST(Generation, RefusesOptionsOfOtherKinds) {
  EXPECT_THAT(
      refusal_of([](auto& o) { test::set(o, "--length-from end"); }),
      HasSubstr("--length-from: belongs to --generation parallel; got it with mask-predict"));
  EXPECT_THAT(
      refusal_of([](auto& o) { test::set(o, "--generation ctc --length-difference 4"); }),
      HasSubstr("--length-difference: belongs to --generation parallel or mask-predict; got it "
                "with ctc"));
  EXPECT_THAT(refusal_of([](auto& o) { test::set(o, "--length-ratio 2"); }),
              HasSubstr("--length-ratio: belongs to --generation parallel; got it with mask"));
  EXPECT_THAT(refusal_of([](auto& o) { test::set(o, "--length-offset 2"); }),
              HasSubstr("--length-offset: belongs to --generation parallel; got it with mask"));
  EXPECT_THAT(refusal_of([](auto& o) { test::set(o, "--generation parallel --length-ratio 2"); }),
              HasSubstr("--length-ratio: belongs to --length-from end; got it with classifier"));
  EXPECT_THAT(
      refusal_of([](auto& o) {
        test::set(o, "--generation parallel --length-from end --length-difference 4");
      }),
      HasSubstr("--length-difference: belongs to --length-from classifier; got it with end"));
  EXPECT_THAT(refusal_of([](auto& o) { test::set(o, "--ctc-upsampling 3"); }),
              HasSubstr("--ctc-upsampling: belongs to --generation ctc; got it with mask-predict"));
  EXPECT_THAT(refusal_of([](auto& o) { o = {}, test::set(o, "--type rnn --generation ctc"); }),
              HasSubstr("--generation: belongs to --type transformer; got it with rnn"));
  EXPECT_EQ(refusal_of([](auto& o) { test::set(o, "--generation ctc --ctc-upsampling 3"); }), "");
}

}  // namespace
}  // namespace weft::models
