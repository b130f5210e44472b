#include "weft/decode/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/decode/small_model.h"
#include "tests/support/tensors.h"
#include "weft/core/parallel.h"
#include "weft/models/capacity.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

// Live hypotheses that take random tokens and go on from random parents.
struct RandomBeams {
  RandomStream random{7, 7};
  std::vector<int32_t> ids, parents, counts;
  std::vector<Entered> entered;
  std::vector<std::vector<int32_t>> prefixes;  // of each row, with the begin symbol

  explicit RandomBeams(int64_t sentences)
      : ids(sentences, kBegin),
        parents(sentences, -1),
        counts(sentences, 1),
        prefixes(sentences, {kBegin}) {
    for (int32_t s = 0; s < sentences; ++s) entered.push_back({s, s});
  }

  void advance() {
    std::vector<std::vector<int32_t>> next;
    entered.clear();
    ids.clear();
    parents.clear();
    int32_t first_row = 0;
    for (int32_t& count : counts) {
      const int32_t rows = count;
      count = rows == 0 ? 0 : static_cast<int32_t>((1 + random.below(8)) / 2);  // 0 to 4
      for (int32_t i = 0; i < count; ++i) {
        parents.push_back(first_row + static_cast<int32_t>(random.below(rows)));
        ids.push_back(static_cast<int32_t>(random.below(50)));
        next.push_back(prefixes[parents.back()]);
        next.back().push_back(ids.back());
      }
      first_row += rows;
    }
    prefixes = std::move(next);
  }
};

// The scores after each row's prefix, by a pass over all of it without a cache.
Tensor whole_pass(const models::Seq2Seq& model, const data::Ragged& sources,
                  const RandomBeams& beams) {
  data::Ragged inputs, sources_of_rows;
  for (size_t s = 0; s < beams.counts.size(); ++s) {
    for (int32_t i = 0; i < beams.counts[s]; ++i) sources_of_rows.add(sources[s]);
  }
  for (const auto& prefix : beams.prefixes) inputs.add(prefix);
  nn::Context context;
  const nn::Memory memory = model.encode(ops::make_ids(sources_of_rows.ids),
                                         ops::make_rows(sources_of_rows.offsets), context);
  const Tensor logits = model.logits(
      model.decode(ops::make_ids(inputs.ids), ops::make_rows(inputs.offsets), memory, context),
      context);
  Tensor last = Tensor::empty({inputs.sentences(), logits.cols()}, logits.dtype());
  for (int64_t w = 0; w < inputs.sentences(); ++w) {
    const int64_t row = inputs.offsets[w + 1] - 1;
    backend_of(logits).copy(logits.row_range(row, row + 1), last.row_range(w, w + 1));
  }
  return last;
}

TEST(Seq2SeqSteps, AgreeWithAPassOverTheWholePrefix) {
  // The two differ in the order of sums only.
  const std::pair<DType, double> tolerances[] = {{DType::kF32, 1e-5}, {DType::kF64, 1e-12}};
  for (const ModelCase& c : model_cases()) {
    for (const auto& [dtype, tolerance] : tolerances) {
      SCOPED_TRACE(fmt::format("{} in {}", c.name, name_of(dtype)));
      const models::Seq2Seq model = small_model(c.options, dtype);
      const data::Ragged sources = random_sentences(5, 12);
      Seq2SeqSteps steps(model, sources, 5);
      RandomBeams beams(5);
      // More steps than a cache holds at first.
      for (int step = 0; step < 36 && !beams.ids.empty(); ++step) {
        const Tensor got = steps({beams.ids, beams.parents, beams.counts, beams.entered});
        if (step < 4 || step % 8 == 0) {
          ASSERT_LT(test::distance(got, whole_pass(model, sources, beams)), tolerance) << step;
        }
        beams.advance();
      }
    }
  }
}

bool same(const NBest& a, const NBest& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.tokens == y.tokens && x.log_probability == y.log_probability && x.ended == y.ended;
  });
}

void expect_the_same_in_any_batch(const models::Seq2Seq& model, int64_t beam) {
  const data::Ragged sources = random_sentences(23, 15);
  DecodeOptions options{.beam_size = beam, .normalize = 1, .n_best = true, .mini_batch = 1};
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
  const data::Ragged sources = random_sentences(23, 15);
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
  const data::Ragged sources = random_sentences(16, 15);
  const models::Seq2Seq model = small_model(small_options());
  const DecodeOptions options{.beam_size = 3, .mini_batch = 5};
  const std::vector<NBest> expected = decode(model, sources, options);
  std::vector<int64_t> order(16);
  for (int64_t i = 0; i < 16; ++i) order[i] = i * 5 % 16;
  data::Ragged shuffled;
  for (const int64_t s : order) shuffled.add(sources[s]);
  const std::vector<NBest> got = decode(model, shuffled, options);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_TRUE(same(got[i], expected[order[i]])) << i;
}

TEST(Decode, GivesTheProbabilityThatScoringGives) {
  const data::Ragged sources = random_sentences(12, 15);
  for (const ModelCase& c : model_cases()) {
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = small_model(c.options);
    const auto found = decode(model, sources, {.beam_size = 4, .n_best = true});
    int64_t ended = 0;
    for (int64_t s = 0; s < sources.sentences(); ++s) {
      for (const Hypothesis& h : found[s]) {
        if (!h.ended) continue;
        data::Batch batch{.sides = {{}, {}}, .lines = {0}};
        batch.sides[0].add(sources[s]);
        batch.sides[1].add(h.tokens, kEnd);
        const std::vector<double> p = model.token_log_probabilities(batch);
        EXPECT_NEAR(h.log_probability, std::accumulate(p.begin(), p.end(), 0.0),
                    1e-6 * std::max(10.0, -h.log_probability));
        ++ended;
      }
    }
    EXPECT_TRUE(ended > 0 || !c.options.output_bias);
  }
}

TEST(Decode, KeepsToTheLengthsAskedForAndToThePositionsThereAre) {
  models::Seq2SeqOptions learned = small_options();
  learned.position = "learned";
  learned.max_positions = 9;
  const models::Seq2Seq bounded = small_model(learned), free = small_model(small_options());
  EXPECT_EQ(models::source_capacity(bounded.options), 9);
  EXPECT_EQ(models::target_capacity(bounded.options), 9);
  EXPECT_GT(models::target_capacity(free.options), 1000000);

  struct Case {
    const models::Seq2Seq& model;
    DecodeOptions options;
    size_t longest;  // of a source of 7 tokens, end symbol included
  };
  const Case cases[] = {{free, {.beam_size = 1, .max_length_factor = 1.5}, 10},
                        {free, {.beam_size = 1, .max_length_factor = 0.1}, 1},
                        {free, {.beam_size = 1, .max_output_length = 4}, 4},
                        {bounded, {.beam_size = 1}, 9}};
  data::Ragged source;
  source.add(std::vector<int32_t>{5, 6, 7, 8, 9, 10}, kEnd);
  for (const Case& c : cases) {
    // Without its end symbol, every hypothesis runs into the limit.
    const NBest found = decode(c.model, source, c.options, {.forbidden = {kEnd}})[0];
    EXPECT_FALSE(found[0].ended);
    EXPECT_EQ(found[0].tokens.size(), c.longest);
  }
}

TEST(Decode, ReturnsOneHypothesisOrTheWholeBeam) {
  const models::Seq2Seq model = small_model(small_options());
  const data::Ragged sources = random_sentences(4, 6);
  for (const NBest& found : decode(model, sources, {.beam_size = 3})) EXPECT_EQ(found.size(), 1u);
  for (const NBest& found : decode(model, sources, {.beam_size = 3, .n_best = true})) {
    ASSERT_EQ(found.size(), 3u);
    EXPECT_GE(found[0].score, found[1].score);
    EXPECT_GE(found[1].score, found[2].score);
  }
}

}  // namespace
}  // namespace weft::decode
