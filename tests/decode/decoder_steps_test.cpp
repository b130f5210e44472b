#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/decode/small_model.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/decode/request.h"
#include "weft/decode/step_models.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::decode {
namespace {

// Live hypotheses that take random tokens and continue random parents. The requests of the first
// slots end after some steps, the others stay; a free slot goes to a request that waits, at once or
// later.
struct RandomBeams {
  static constexpr int32_t kSlots = 9, kEnding = 2;
  struct Row {
    std::vector<int32_t> prefix;  // with the begin symbol
    std::vector<int32_t> cached;  // the number of each row of a cache that it sees, its own last
  };

  RandomStream random{7, 7};
  std::vector<Request> requests;
  int32_t waiting = 0;                                // the first request that waits
  int32_t taken = 0;                                  // rows so far
  std::vector<int32_t> ids, parents, counts, active;  // the last two by slot
  std::vector<NewRequest> entered;
  std::vector<int32_t> left;  // slots
  std::vector<Row> rows;

  explicit RandomBeams(const data::Tokens& sources)
      : requests(static_cast<size_t>(sources.examples())), counts(kSlots), active(kSlots) {
    for (int64_t s = 0; s < sources.examples(); ++s) {
      requests[s].source.assign(sources[s].begin(), sources[s].end());
    }
    advance();
  }

  void advance() {
    std::vector<Row> next;
    ids.clear(), parents.clear(), entered.clear(), left.clear();
    int32_t first_row = 0;
    for (int32_t p = 0; p < kSlots; ++p) {
      const int32_t before = counts[p];
      counts[p] = before == 0 ? 0 : std::max((1 + below(8)) / 2, p < kEnding ? 0 : 1);  // to 4
      for (int32_t i = 0; i < counts[p]; ++i) {
        const int32_t parent = below(before);
        add(rows[first_row + parent], parent, below(50), next);
      }
      first_row += before;
      if (before > 0 && counts[p] == 0) left.push_back(p);
      if (counts[p] > 0 || waiting == std::ssize(requests) || below(2) == 1) continue;
      counts[p] = 1;
      entered.push_back({p, &requests[waiting]});
      active[p] = waiting++;
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
    for (int32_t i = 0; i < beams.counts[p]; ++i) sources_of_rows.add(sources[beams.active[p]]);
  }
  for (const RandomBeams::Row& row : beams.rows) inputs.add(row.prefix);
  nn::Context context;
  const nn::Memory memory = model.encode(sources_of_rows, context);
  const Tensor logits = model.decoder.logits(
      model.decoder.forward({ops::make_ids(inputs.ids), ops::make_layout(inputs.segments)}, memory,
                            context),
      context);
  Tensor last = Tensor::empty({inputs.examples(), logits.cols()}, logits.dtype());
  for (int64_t w = 0; w < inputs.examples(); ++w) {
    const int64_t row = inputs.segments.end(w) - 1;
    backend_of(logits)(
        kernels::Copy{.x = logits.row_range(row, row + 1), .y = last.row_range(w, w + 1)});
  }
  return last;
}

constexpr int64_t kFirstRows = nn::RowPool::kPageRows;  // of a cache before it grows

// Steps and passes over whole prefixes, which differ in the order of sums only.
struct Precision {
  DType dtype;
  double tolerance;
  int steps, comparisons;
  bool grows;  // the cache has to, on the way
};

void expect_steps_to_agree(const models::Seq2Seq& model, const Precision& precision) {
  const data::Tokens sources = random_sentences(16, 12);
  DecoderSteps steps = decoder_steps(model);
  steps.reset();
  RandomBeams beams(sources);
  const std::set<int> compared = {0, 2, 5, 8, 24, precision.steps - 1};
  int64_t comparisons = 0, entered_late = 0, most_held = 0;
  for (int step = 0; step < precision.steps; ++step) {
    ASSERT_FALSE(beams.ids.empty()) << step;
    steps.release(beams.left);
    if (!beams.entered.empty()) steps.begin(beams.entered);
    const Tensor got = steps.step({beams.ids, beams.parents, beams.counts});
    if (step > 0) entered_late += std::ssize(beams.entered);
    most_held = std::max(most_held, beams.held());
    if (compared.contains(step)) {
      ASSERT_LT(test::distance(got, whole_pass(model, sources, beams)), precision.tolerance)
          << step;
      ++comparisons;
    }
    beams.advance();
  }
  ASSERT_EQ(comparisons, precision.comparisons);
  ASSERT_GT(entered_late, 0);
  ASSERT_EQ(most_held > kFirstRows, precision.grows) << most_held;
}

TEST(DecoderSteps, AgreeWithAPassOverTheWholePrefix) {
  // As many steps as the models have positions; few of doubles, which are slow.
  const Precision precisions[] = {{DType::kF32, 1e-5, 40, 6, true},
                                  {DType::kF64, 1e-12, 6, 3, false}};
  for (const ModelCase& c : model_cases()) {
    for (const Precision& precision : precisions) {
      SCOPED_TRACE(fmt::format("{} in {}", c.name, name_of(precision.dtype)));
      ASSERT_NO_FATAL_FAILURE(
          expect_steps_to_agree(small_model(c.options, precision.dtype), precision));
    }
  }
}

TEST(StepModel, IsOfLeftToRightModelsAlone) {
  models::Seq2SeqOptions options = small_options();
  test::set(options, "--generation mask-predict");
  const models::Seq2Seq parallel = small_model(options), plain = small_model(small_options());
  EXPECT_THROW(step_model(parallel), OptionError);
  EXPECT_THROW(step_model(std::array{&plain, &parallel}), OptionError);
  EXPECT_THROW(step_model(std::array{&plain}, std::vector{0.5, 0.5}), OptionError);
  EXPECT_TRUE(step_model(std::array{&plain, &plain})->traits().is_normalised);
  EXPECT_FALSE(step_model(plain)->traits().is_normalised);
}

}  // namespace
}  // namespace weft::decode
