// Decoding of sentences by models, whatever is decoded with them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/decode/decoded.h"
#include "tests/decode/small_model.h"
#include "tests/support/kept_threads.h"
#include "tests/support/options.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

bool same(const NBest& a, const NBest& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.tokens == y.tokens && x.log_probability == y.log_probability && x.ended == y.ended;
  });
}

void expect_the_same_in_any_batch(const models::Seq2Seq& model, int64_t beam) {
  const data::Tokens sources = random_sentences(23, 15);
  DecodeOptions options{.beam_size = beam, .normalize = 1, .n_best = true, .mini_batch = 1};
  const test::KeptThreads kept;
  set_threads(1);
  const std::vector<NBest> expected = decode(model, sources, options);
  for (const int64_t batch : {3, 7, 23}) {
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("beam {}, batch {}, threads {}", beam, batch, threads));
      set_threads(threads);
      options.mini_batch = batch;
      const std::vector<NBest> got = decode(model, sources, options);
      for (size_t s = 0; s < expected.size(); ++s) ASSERT_TRUE(same(got[s], expected[s])) << s;
    }
  }
}

TEST(Decode, OfASentenceIsTheSameToTheBitInAnyBatch) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  for (const ModelCase& c : model_cases()) {
    for (const int64_t beam : {1, 4}) {
      SCOPED_TRACE(c.name);
      expect_the_same_in_any_batch(small_model(c.options), beam);
    }
  }
}

TEST(Decode, OfASentenceIsTheSameToTheBitInAnyBatchAndPrecision) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  for (const ModelCase& c : model_cases()) {
    for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
      SCOPED_TRACE(fmt::format("{} in {}", c.name, name_of(type)));
      expect_the_same_in_any_batch(packed_model(c.options, type), 4);
    }
  }
}

TEST(Decode, OfPackedWeightsFindsWhatTheWeightsThemselvesFind) {
  const data::Tokens sources = random_sentences(23, 15);
  const DecodeOptions options{.beam_size = 4, .normalize = 1};
  for (const ModelCase& c : model_cases()) {
    SCOPED_TRACE(c.name);
    const std::vector<NBest> expected = decode(small_model(c.options), sources, options);
    const std::vector<NBest> exact = decode(packed_model(c.options, DType::kF32), sources, options);
    const std::vector<NBest> rounded =
        decode(packed_model(c.options, DType::kI8), sources, options);
    for (size_t s = 0; s < expected.size(); ++s) {
      EXPECT_EQ(exact[s][0].tokens, expected[s][0].tokens) << s;
      EXPECT_NEAR(exact[s][0].log_probability, expected[s][0].log_probability, 1e-4) << s;
      EXPECT_NEAR(rounded[s][0].score, expected[s][0].score, 0.3) << s;  // by another path
    }
  }
}

TEST(Decode, OfASentenceDoesNotDependOnTheOrder) {
  const data::Tokens sources = random_sentences(16, 15);
  const models::Seq2Seq model = small_model(small_options());
  const DecodeOptions options{.beam_size = 3, .mini_batch = 5};
  const std::vector<NBest> expected = decode(model, sources, options);
  std::vector<int64_t> order(16);
  for (int64_t i = 0; i < 16; ++i) order[i] = i * 5 % 16;
  data::Tokens shuffled;
  for (const int64_t s : order) shuffled.add(sources[s]);
  const std::vector<NBest> got = decode(model, shuffled, options);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_TRUE(same(got[i], expected[order[i]])) << i;
}

TEST(Decode, GivesTheProbabilityThatScoringGives) {
  const data::Tokens sources = random_sentences(12, 15);
  for (const ModelCase& c : model_cases()) {
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = small_model(c.options);
    const auto found = decode(model, sources, {.beam_size = 4, .n_best = true});
    int64_t ended = 0;
    for (int64_t s = 0; s < sources.examples(); ++s) {
      for (const Hypothesis& h : found[s]) {
        if (!h.ended) continue;
        data::Batch batch{.fields = {data::Tokens(), data::Tokens()}, .examples = {0}};
        batch.tokens(0).add(sources[s]);
        batch.tokens(1).add(h.tokens, kEnd);
        const std::vector<double> p = model.token_log_probabilities(batch);
        EXPECT_NEAR(h.log_probability, std::accumulate(p.begin(), p.end(), 0.0),
                    1e-6 * std::max(10.0, -h.log_probability));
        ++ended;
      }
    }
    EXPECT_TRUE(ended > 0 || !c.options.decoder.output_bias);
  }
}

TEST(Decode, KeepsToTheLengthsAskedForAndToThePositionsThereAre) {
  models::Seq2SeqOptions learned = small_options();
  test::set(learned, "--position learned");
  learned.encoder.position.max_positions = 9;
  const models::Seq2Seq bounded = small_model(learned), free = small_model(small_options());
  const auto trained_on = [&](double ratio, int64_t longest) {
    models::Seq2Seq model = free;
    model.dims.trained_lengths = {ratio, longest};
    return model;
  };
  const models::Seq2Seq usual = trained_on(1.5, 99), forms = trained_on(38.0 / 7, 99),
                        few = trained_on(50, 40);
  EXPECT_EQ(bounded.options.source_capacity(), 9);
  EXPECT_EQ(bounded.options.target_capacity(), 9);
  EXPECT_GT(free.options.target_capacity(), 1000000);

  struct Case {
    const models::Seq2Seq& model;
    DecodeOptions options;
    size_t longest;  // of a source of 7 tokens, end symbol included
  };
  const Case cases[] = {{free, {.beam_size = 1, .max_length_factor = 1.5}, 10},
                        {free, {.beam_size = 1, .max_length_factor = 0.1}, 1},
                        {free, {.beam_size = 1, .max_output_length = 4}, 4},
                        {bounded, {.beam_size = 1}, 9},
                        {free, {.beam_size = 1}, 21},
                        {usual, {.beam_size = 1}, 21},
                        {forms, {.beam_size = 1}, 38},
                        {few, {.beam_size = 1}, 40},
                        {forms, {.beam_size = 1, .max_length_factor = 3.0}, 21}};
  data::Tokens source;
  source.add(std::vector<int32_t>{5, 6, 7, 8, 9, 10}, kEnd);
  for (const Case& c : cases) {
    // Without its end symbol, every hypothesis runs into the limit.
    const NBest found = decode(c.model, source, c.options, {kEnd})[0];
    EXPECT_FALSE(found[0].ended);
    EXPECT_EQ(found[0].tokens.size(), c.longest);
  }
}

TEST(Decode, ReturnsOneHypothesisOrTheWholeBeam) {
  const models::Seq2Seq model = small_model(small_options());
  const data::Tokens sources = random_sentences(4, 6);
  for (const NBest& found : decode(model, sources, {.beam_size = 3})) EXPECT_EQ(found.size(), 1u);
  for (const NBest& found : decode(model, sources, {.beam_size = 3, .n_best = true})) {
    ASSERT_EQ(found.size(), 3u);
    EXPECT_GE(found[0].score, found[1].score);
    EXPECT_GE(found[1].score, found[2].score);
  }
}

}  // namespace
}  // namespace weft::decode
