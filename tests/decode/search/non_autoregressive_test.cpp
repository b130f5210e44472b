// Decoding all positions at once against the plainest way to do it.
#include "weft/decode/search/non_autoregressive.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/decode/small_model.h"
#include "tests/decode/small_session.h"
#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/softmax.h"
#include "weft/predict/translation/translator.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

models::Seq2SeqOptions options_of(const std::string& generation,
                                  const std::string& length_from = "classifier") {
  models::Seq2SeqOptions o = small_options();
  test::set(o, fmt::format("--generation {} --length-from {}", generation, length_from));
  if (o.predicts_length()) test::set(o, "--length-difference 4");
  return o;
}

// Kinds of self-attention in encoder and decoder; some of them no decoder from left to right has.
void add_attention_kinds_of_both_sides(std::vector<ModelCase>& cases) {
  const auto add = [&](std::string name, const std::string& kind,
                       const models::Seq2SeqOptions& from) -> models::Seq2SeqOptions& {
    models::Seq2SeqOptions& o = cases.emplace_back(ModelCase{std::move(name), from}).options;
    test::set(o, fmt::format("--attention {}", kind));
    return o;
  };
  models::Seq2SeqOptions& low_rank = add("mask-predict, low-rank keys, two heads of them",
                                         "linformer", options_of("mask-predict"));
  test::set(low_rank, "--attention-keys 6");
  low_rank.encoder.transformer.attention.key_heads = 2;
  models::Seq2SeqOptions& sorted = add("parallel by length, sorted blocks, value sizes apart",
                                       "sinkhorn", options_of("parallel"));
  test::set(sorted, "--attention-block 3");
  sorted.encoder.transformer.attention.value_size = 10;
  models::Seq2SeqOptions& hashed =
      add("ctc, clusters by two hashes", "clustered", options_of("ctc"));
  test::set(hashed, "--attention-clustering hash --attention-clusters 4 --attention-rounds 2");
  add("parallel up to the end, weights that rows give places", "synthesizer-dense",
      options_of("parallel", "end"))
      .encoder.transformer.attention.key_heads = 1;
  add("mask-predict, weights that places give places", "synthesizer-random",
      options_of("mask-predict"));
  models::Seq2SeqOptions& sparse = add("mask-predict, block-sparse attention, alibi",
                                       "block-sparse", options_of("mask-predict"));
  test::set(sparse, "--attention-block 2 --attention-global 1 --position alibi");
}

std::vector<ModelCase> non_autoregressive_cases() {
  std::vector<ModelCase> cases = {{"mask-predict", options_of("mask-predict")},
                                  {"parallel by length", options_of("parallel")},
                                  {"parallel up to the end", options_of("parallel", "end")},
                                  {"ctc", options_of("ctc")}};
  models::Seq2SeqOptions o = options_of("mask-predict");
  test::set(o, "--position learned --attention local --attention-window 2 --transformer-norm pre");
  cases.push_back({"mask-predict, learned positions, local attention", o});
  o = options_of("ctc");
  test::set(o, "--position learned --attention linear");
  o.tied_embeddings_all = true;
  cases.push_back({"ctc, learned positions, linear attention", o});
  add_attention_kinds_of_both_sides(cases);
  return cases;
}

// One sentence, without a cache, all positions' scores at every round.
class Slow {
 public:
  Slow(const models::Seq2Seq& model, std::span<const int32_t> source, const DecodeOptions& options)
      : model_(model), source_(source.begin(), source.end()), options_(options) {
    const std::vector<int32_t> offsets = {0, static_cast<int32_t>(source_.size())};
    memory_ = model.encode({source_, {offsets}}, plain_);
  }

  Hypothesis decode() {
    if (model_.options.is_ctc()) return ctc();
    if (!model_.options.predicts_length()) return up_to_end();
    const Tensor lengths = ops::log_softmax(model_.length_logits(memory_, plain_), nullptr);
    std::vector<std::pair<double, int64_t>> order;
    for (int64_t c = 0; c < lengths.cols(); ++c) {
      const int64_t length = std::ssize(source_) - 1 + c - 4;
      if (length >= 1 && length < 3 * std::ssize(source_)) {
        order.emplace_back(-lengths.data<float>()[c], length);
      }
    }
    std::ranges::sort(order);
    Hypothesis best;
    for (size_t i = 0; i < std::min<size_t>(order.size(), options_.length_beam); ++i) {
      Hypothesis found = of_length(order[i].second);
      found.token_scores.push_back(-order[i].first);
      const double sum = std::accumulate(found.token_scores.begin(), found.token_scores.end(), 0.0);
      found.score = sum / static_cast<double>(found.token_scores.size());
      if (i == 0 || found.score > best.score) best = found;
    }
    return best;
  }

 private:
  using Choice = std::pair<int32_t, double>;

  // The best token at each position, the ones given being forbidden.
  std::vector<Choice> round(models::DecoderInput input, const std::vector<int32_t>& forbidden) {
    const std::vector<int32_t> offsets = {0, static_cast<int32_t>(input.ids.size())};
    input.rows = ops::make_layout({offsets});
    const Tensor log_p = ops::log_softmax(
        model_.decoder.logits(model_.decode(input, memory_, plain_), plain_), nullptr);
    std::vector<Choice> out;
    for (int64_t t = 0; t < log_p.rows(); ++t) {
      Choice best{-1, -1e30};
      for (int32_t v = 0; v < log_p.cols(); ++v) {
        const double p = log_p.data<float>()[t * log_p.cols() + v];
        if (std::ranges::count(forbidden, v) == 0 && p > best.second) best = {v, p};
      }
      out.push_back(best);
    }
    return out;
  }

  std::vector<Choice> copied(int64_t count, const std::vector<int32_t>& forbidden) {
    models::DecoderInput input;
    input.is_copied = true;
    for (int64_t t = 0; t < count; ++t) {
      input.ids.push_back(source_[t * std::ssize(source_) / count]);
    }
    return round(input, forbidden);
  }

  Hypothesis of_length(int64_t length) {
    Hypothesis out;
    out.tokens.resize(length);
    out.token_scores.resize(length);
    const bool is_refined = model_.options.is_mask_predict();
    const int64_t rounds = is_refined ? options_.iterations : 1;
    for (int64_t i = 0; i < rounds; ++i) {
      // The least probable so far, one after the other.
      std::vector<int32_t> masked;
      for (int64_t n = length * (rounds - i) / rounds; n > 0; --n) {
        int32_t worst = -1;
        for (int32_t t = 0; t < length; ++t) {
          if (std::ranges::count(masked, t) > 0) continue;
          if (worst < 0 || out.token_scores[t] < out.token_scores[worst]) worst = t;
        }
        masked.push_back(worst);
      }
      std::ranges::sort(masked);
      models::DecoderInput input{.rows = nullptr, .ids = out.tokens, .masked = masked};
      for (const int32_t t : masked) input.ids[t] = kBegin;
      input.ids.push_back(kEnd);
      const auto found =
          is_refined ? round(input, {kEnd, kBegin, 1}) : copied(length + 1, {kEnd, kBegin, 1});
      for (const int32_t t : masked) {
        out.tokens[t] = found[t].first;
        out.token_scores[t] = found[t].second;
      }
    }
    return out;
  }

  Hypothesis ctc() {
    Hypothesis out;
    int32_t before = kEnd;
    for (const auto& [token, log_p] : copied(2 * std::ssize(source_), {kBegin, 1})) {
      if (token != kEnd && token != before) {
        out.tokens.push_back(token);
        out.token_scores.push_back(log_p);
      }
      before = token;
    }
    return out;
  }

  Hypothesis up_to_end() {
    Hypothesis out;
    out.ended = false;
    const auto count = static_cast<int64_t>(1.5 * static_cast<double>(source_.size())) + 6;
    const auto found = copied(count, {kBegin, 1});
    for (int64_t t = 0; t < std::min(count, 3 * std::ssize(source_)); ++t) {
      out.token_scores.push_back(found[t].second);
      out.ended = found[t].first == kEnd;
      if (out.ended) break;
      out.tokens.push_back(found[t].first);
    }
    return out;
  }

  const models::Seq2Seq& model_;
  std::vector<int32_t> source_;
  DecodeOptions options_;
  nn::Context plain_;
  nn::Memory memory_;
};

class DecodeNonAutoregressive : public testing::TestWithParam<ModelCase> {};

TEST_P(DecodeNonAutoregressive, FindsWhatTheSlowWayFinds) {
  models::Seq2Seq model = small_model(GetParam().options);
  model.decoder.output_bias.value.data<float>()[kEnd] = 1;
  const data::Tokens sources = random_sentences(12, 9);
  for (const int64_t rounds : {1, 2, 4, 10}) {
    DecodeOptions o;
    o.iterations = rounds;
    o.length_beam = rounds == 2 ? 1 : 3;
    const std::vector<Hypothesis> found =
        decode_non_autoregressive(model, sources, o, std::vector<int32_t>{1});
    ASSERT_EQ(found.size(), 12u);
    for (int64_t s = 0; s < 12; ++s) {
      const Hypothesis expected = Slow(model, sources[s], o).decode();
      EXPECT_EQ(found[s].tokens, expected.tokens) << s << ", " << rounds << " rounds";
      EXPECT_EQ(found[s].ended, expected.ended);
      ASSERT_EQ(found[s].token_scores.size(), expected.token_scores.size());
      for (size_t t = 0; t < expected.token_scores.size(); ++t) {
        EXPECT_NEAR(found[s].token_scores[t], expected.token_scores[t], 1e-4);
      }
    }
    if (!model.options.is_mask_predict()) break;
  }
}

TEST_P(DecodeNonAutoregressive, ASentenceDoesNotDependOnItsBatchMates) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  const data::Tokens sources = random_sentences(30, 12);
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    const models::Seq2Seq model = type == DType::kF32 ? small_model(GetParam().options)
                                                      : packed_model(GetParam().options, type);
    DecodeOptions o;
    const std::vector<Hypothesis> together = decode_non_autoregressive(model, sources, o, {});
    for (const int64_t batch : {1, 7}) {
      o.mini_batch = batch;
      const std::vector<Hypothesis> apart = decode_non_autoregressive(model, sources, o, {});
      for (size_t s = 0; s < together.size(); ++s) {
        EXPECT_EQ(apart[s].tokens, together[s].tokens) << name_of(type) << " " << s;
        EXPECT_EQ(apart[s].token_scores, together[s].token_scores) << name_of(type) << " " << s;
      }
    }
  }
}

TEST_P(DecodeNonAutoregressive, KeepsToTheLongestTranslation) {
  const models::Seq2Seq model = small_model(GetParam().options);
  DecodeOptions o;
  o.max_output_length = 3;
  for (const Hypothesis& h : decode_non_autoregressive(model, random_sentences(9, 12), o, {})) {
    EXPECT_LE(std::ssize(h.tokens) + (h.ended ? 1 : 0), 3);
  }
}

TEST_P(DecodeNonAutoregressive, RefusesAVocabularyWithoutATokenToTake) {
  const models::Seq2Seq model = small_model(GetParam().options);
  std::vector<int32_t> all(static_cast<size_t>(model.dims.target_vocab));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT([&] { decode_non_autoregressive(model, random_sentences(2, 5), {}, all); },
              ThrowsMessage<OptionError>(HasSubstr("its target vocabulary is of special symbols")));
}

INSTANTIATE_TEST_SUITE_P(Models, DecodeNonAutoregressive,
                         testing::ValuesIn(non_autoregressive_cases()));

TEST(MaskedInRound, FallsInEvenSteps) {
  std::vector<int64_t> counts;
  for (int64_t round = 0; round < 4; ++round) counts.push_back(masked_in_round(10, round, 4));
  EXPECT_THAT(counts, ElementsAre(10, 7, 5, 2));
  EXPECT_EQ(masked_in_round(1, 1, 4), 0);
}

TEST(Collapse, JoinsRepeatsAndLeavesBlanksOut) {
  const std::vector<int32_t> classes = {0, 3, 3, 0, 3, 4, 4, 0, 0};
  EXPECT_THAT(collapse(classes, 0), ElementsAre(3, 3, 4));
  EXPECT_TRUE(collapse({}, 0).empty());
}

TEST(NonAutoregressiveTranslator, TellsWhatSuchModelsDoNotRead) {
  const model_file::TranslatorSession session = small_session(options_of("mask-predict"));
  const model_file::TranslatorSession ctc = small_session(options_of("ctc"));
  const model_file::TranslatorSession plain = small_session(small_options());
  const auto expect = [](const model_file::TranslatorSession& s, auto change, const char* message) {
    DecodeOptions o;
    change(o);
    EXPECT_THAT([&] { predict::Translator(s, o); }, ThrowsMessage<OptionError>(HasSubstr(message)));
  };
  expect(
      session, [](auto& o) { o.beam_size = 1; },
      "--beam-size: belongs to --generation left-to-right; got it with a model of mask-predict");
  expect(
      session, [](auto& o) { o.n_best = true; },
      "--n-best: belongs to --generation left-to-right; got it with a model");
  expect(
      session, [](auto& o) { test::set(o, "--sampling topk"); },
      "--sampling: belongs to --generation left-to-right; got it with a model");
  expect(
      session, [](auto& o) { test::set(o, "--alignment hard"); },
      "--alignment: belongs to --generation left-to-right; got it with a model");
  expect(
      session, [](auto& o) { o.force_decode = true; },
      "--force-decode: belongs to --generation left-to-right; got it with a model");
  expect(
      ctc, [](auto& o) { o.iterations = 2; },
      "--iterations: belongs to --generation mask-predict; got it with a model of ctc");
  expect(
      ctc, [](auto& o) { o.length_beam = 2; },
      "--length-beam: belongs to --generation parallel or mask-predict; got it with a model of "
      "ctc");
  expect(
      plain, [](auto& o) { o.iterations = 2; },
      "--iterations: belongs to --generation mask-predict; got it with a model of left-to-right");
  EXPECT_THAT([&] { predict::Translator(session, {}, {"w1"}); },
              ThrowsMessage<OptionError>(HasSubstr("--banned-words: is for translations that")));
  const predict::Translator translator(session, {});
  EXPECT_THAT(
      [&] {
        Report report;
        translator.stream({"w1 w2"}, report, [](std::string_view) {});
      },
      ThrowsMessage<OptionError>(HasSubstr("--stream: is for translations that")));
  const std::vector<model_file::TranslatorSession> both = {session, session};
  EXPECT_THAT([&] { predict::Translator(both, {}); },
              ThrowsMessage<OptionError>(HasSubstr("--model: one of several is of --generation")));
}

TEST(NonAutoregressiveTranslator, ReportsTranslationsThatWouldBeLonger) {
  for (const char* generation : {"mask-predict", "parallel", "ctc"}) {
    const model_file::TranslatorSession session = small_session(options_of(generation));
    DecodeOptions options;
    options.max_output_length = 2;
    const predict::Translator translator(session, options);
    Report report;
    test::translated(translator, {"w1 w2 w3 w4 w5 w6 w7 w8 w9 w1 w2 w3 w4 w5 w6 w7 w8 w9"}, report);
    EXPECT_EQ(report.count(Note::kUnfinished), 1) << generation;
  }
}

TEST(NonAutoregressiveTranslator, CutsSourcesWhosePositionsDoNotFit) {
  models::Seq2SeqOptions o = options_of("ctc");
  test::set(o, "--position learned");
  o.encoder.position.max_positions = 12;
  const model_file::TranslatorSession session = small_session(o);
  const predict::Translator translator(session, {});
  Report report;
  const std::vector<std::string> out =
      test::translated(translator, {"w1 w2 w3 w4 w5 w6 w7 w8", ""}, report);
  EXPECT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1], "");
  EXPECT_EQ(report.count(Note::kCropped), 1);
}

}  // namespace
}  // namespace weft::decode
