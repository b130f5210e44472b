#include "weft/decode/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/decode/small_model.h"
#include "tests/support/kept_threads.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/models/capacity.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

// Live hypotheses that take random tokens and go on from random parents. The sentences of the first
// places end by and by, the others' stay; a free place goes to one that waits, at once or later.
struct RandomBeams {
  static constexpr int32_t kPlaces = 9, kEnding = 2;
  struct Row {
    std::vector<int32_t> prefix;  // with the begin symbol
    std::vector<int32_t> cached;  // the number of each row of a cache that it sees, its own last
  };

  RandomStream random{7, 7};
  int32_t sentences, waiting = 0;                      // how many, and the first that waits
  int32_t taken = 0;                                   // rows so far
  std::vector<int32_t> ids, parents, counts, at_work;  // the last two by place
  std::vector<Entered> entered;
  std::vector<Row> rows;

  explicit RandomBeams(int32_t of) : sentences(of), counts(kPlaces), at_work(kPlaces) { advance(); }

  void advance() {
    std::vector<Row> next;
    ids.clear(), parents.clear(), entered.clear();
    int32_t first_row = 0;
    for (int32_t p = 0; p < kPlaces; ++p) {
      const int32_t before = counts[p];
      counts[p] = before == 0 ? 0 : std::max((1 + below(8)) / 2, p < kEnding ? 0 : 1);  // to 4
      for (int32_t i = 0; i < counts[p]; ++i) {
        const int32_t parent = first_row + below(before);
        add(rows[parent], parent, below(50), next);
      }
      first_row += before;
      if (counts[p] > 0 || waiting == sentences || below(2) == 1) continue;
      counts[p] = 1;
      entered.push_back({p, waiting});
      at_work[p] = waiting++;
      add({}, -1, kBegin, next);
    }
    rows = std::move(next);
  }

  // The rows that a cache has to hold at once.
  int64_t held() const {
    std::set<int32_t> seen;
    for (const Row& row : rows) seen.insert(row.cached.begin(), row.cached.end());
    return std::ssize(seen);
  }

 private:
  int32_t below(int32_t n) { return static_cast<int32_t>(random.below(n)); }

  void add(Row row, int32_t parent, int32_t id, std::vector<Row>& to) {
    ids.push_back(id);
    parents.push_back(parent);
    row.prefix.push_back(id);
    row.cached.push_back(taken++);
    to.push_back(std::move(row));
  }
};

// The scores after each row's prefix, by a pass over all of it without a cache.
Tensor whole_pass(const models::Seq2Seq& model, const data::Tokens& sources,
                  const RandomBeams& beams) {
  data::Tokens inputs, sources_of_rows;
  for (size_t p = 0; p < beams.counts.size(); ++p) {
    for (int32_t i = 0; i < beams.counts[p]; ++i) sources_of_rows.add(sources[beams.at_work[p]]);
  }
  for (const RandomBeams::Row& row : beams.rows) inputs.add(row.prefix);
  nn::Context context;
  const nn::Memory memory = model.encode(ops::make_ids(sources_of_rows.ids),
                                         ops::make_rows(sources_of_rows.segments), context);
  const Tensor logits = model.logits(
      model.decode(ops::make_ids(inputs.ids), ops::make_rows(inputs.segments), memory, context),
      context);
  Tensor last = Tensor::empty({inputs.examples(), logits.cols()}, logits.dtype());
  for (int64_t w = 0; w < inputs.examples(); ++w) {
    const int64_t row = inputs.segments.end(w) - 1;
    backend_of(logits)(
        kernels::Copy{.x = logits.row_range(row, row + 1), .y = last.row_range(w, w + 1)});
  }
  return last;
}

constexpr int64_t kFirstRows = 256;  // of a cache before it grows, as in kv_cache.cpp

// Steps and passes over whole prefixes, which differ in the order of sums only.
struct Precision {
  DType dtype;
  double tolerance;
  int steps, comparisons;
  bool grows;  // the cache has to, on the way
};

void expect_steps_to_agree(const models::Seq2Seq& model, const Precision& how) {
  const data::Tokens sources = random_sentences(16, 12);
  Seq2SeqSteps steps(model, sources, RandomBeams::kPlaces);
  RandomBeams beams(16);
  const std::set<int> compared = {0, 2, 5, 8, 24, how.steps - 1};
  int64_t comparisons = 0, entered_late = 0, most_held = 0;
  for (int step = 0; step < how.steps; ++step) {
    ASSERT_FALSE(beams.ids.empty()) << step;
    const Tensor got = steps({beams.ids, beams.parents, beams.counts, beams.entered});
    if (step > 0) entered_late += std::ssize(beams.entered);
    most_held = std::max(most_held, beams.held());
    if (compared.contains(step)) {
      ASSERT_LT(test::distance(got, whole_pass(model, sources, beams)), how.tolerance) << step;
      ++comparisons;
    }
    beams.advance();
  }
  ASSERT_EQ(comparisons, how.comparisons);
  ASSERT_GT(entered_late, 0);
  ASSERT_EQ(most_held > kFirstRows, how.grows) << most_held;
}

TEST(Seq2SeqSteps, AgreeWithAPassOverTheWholePrefix) {
  // As many steps as the models have positions; few of doubles, which are slow.
  const Precision precisions[] = {{DType::kF32, 1e-5, 40, 6, true},
                                  {DType::kF64, 1e-12, 6, 3, false}};
  for (const ModelCase& c : model_cases()) {
    for (const Precision& how : precisions) {
      SCOPED_TRACE(fmt::format("{} in {}", c.name, name_of(how.dtype)));
      ASSERT_NO_FATAL_FAILURE(expect_steps_to_agree(small_model(c.options, how.dtype), how));
    }
  }
}

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
    EXPECT_TRUE(ended > 0 || !c.options.output_bias);
  }
}

TEST(Decode, KeepsToTheLengthsAskedForAndToThePositionsThereAre) {
  models::Seq2SeqOptions learned = small_options();
  test::set(learned, "--position learned");
  learned.position.max_positions = 9;
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
  data::Tokens source;
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
