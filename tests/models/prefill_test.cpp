// A prompt has the same bits in one pass, in parts, token by token and with a shared beginning.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/decode/small_model.h"
#include "tests/support/kept_threads.h"
#include "tests/support/tensors.h"
#include "weft/ops/fused/enabled.h"

namespace weft::models {
namespace {

// Sequences in slots 0 to 2, of the same source, so that prompts that begin alike have the same
// rows. The first two prompts begin alike.
constexpr int32_t kSlots = 3, kShared = 5;
const std::vector<std::vector<int32_t>> kPrompts = {
    {2, 7, 8, 9, 10, 11, 12, 30, 31}, {2, 7, 8, 9, 10, 21, 22}, {2, 40, 41, 42}};

class Prefilled {
 public:
  Prefilled(const Seq2Seq& model, DType cache_type)
      : model_(model), cache_(model.decoder.layers.cache_layers(), cache_type), states_(kSlots) {
    data::Tokens sources;
    for (int32_t s = 0; s < kSlots; ++s) sources.add(std::vector<int32_t>{5, 6, 17}, decode::kEnd);
    cache_.add_sequences(std::vector<int32_t>{0, 1, 2}, sources.segments);
    model.decoder.layers.prefill_cross(model.encode(sources, {}), cache_);
  }

  // The next counts[i] tokens of the prompts in slots[i].
  void prefill(const std::vector<int32_t>& slots, const std::vector<int32_t>& counts) {
    Segments segments;
    std::vector<int32_t> ids;
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto first = kPrompts[slots[i]].begin() + cache_.prompt_rows(slots[i]);
      ids.insert(ids.end(), first, first + counts[i]);
      segments.append(counts[i]);
    }
    cache_.begin_prompt(slots, segments);
    add(model_.decoder.prefill(ops::make_ids(ids), cache_, {}), cache_.rows());
  }
  // Every prompt as steps of one hypothesis.
  void step_by_step() {
    for (size_t t = 0; t < kPrompts[0].size(); ++t) {
      std::vector<int32_t> ids, counts;
      for (const std::vector<int32_t>& prompt : kPrompts) {
        counts.push_back(t < prompt.size() ? 1 : 0);
        if (t < prompt.size()) ids.push_back(prompt[t]);
      }
      step(ids, std::vector<int32_t>(ids.size(), t == 0 ? -1 : 0), counts);
    }
  }
  void step(const std::vector<int32_t>& ids, const std::vector<int32_t>& parents,
            const std::vector<int32_t>& counts) {
    cache_.begin_step(parents, counts);
    add(model_.decoder.step(ops::make_ids(ids), cache_, {}), cache_.rows());
  }
  int64_t share(int32_t from, int32_t to) { return cache_.share_prompt(from, to, kShared); }

  // The states of each slot's rows, in the order of their passes.
  std::vector<Tensor>& operator[](size_t slot) { return states_[slot]; }

 private:
  void add(const Tensor& states, const ops::LayoutPtr& rows) {
    for (int64_t n = 0; n < states.rows(); ++n) {
      states_[rows->sequence[n]].push_back(states.row_range(n, n + 1).clone());
    }
  }

  const Seq2Seq& model_;
  nn::KvCache cache_;
  std::vector<std::vector<Tensor>> states_;
};

void expect_same(Prefilled& got, Prefilled& expected, const char* passes) {
  for (size_t s = 0; s < kPrompts.size(); ++s) {
    const size_t skipped = expected[s].size() - got[s].size();
    for (size_t n = 0; n < got[s].size(); ++n) {
      ASSERT_TRUE(test::same_bits(got[s][n], expected[s][n + skipped]))
          << passes << ", slot " << s << ", row " << n + skipped;
    }
  }
}

// Two hypotheses of each prompt, and then one of both.
void take_steps(Prefilled& p, int32_t first_parent) {
  const std::vector<int32_t> all(2 * kSlots, first_parent);
  p.step({15, 16, 15, 16, 15, 16}, all, {2, 2, 2});
  p.step({18, 19, 20}, {1, 0, 1}, {1, 1, 1});
}

void expect_same_bits(const Seq2Seq& model, DType cache_type) {
  Prefilled steps(model, cache_type), whole(model, cache_type), parts(model, cache_type),
      shared(model, cache_type);
  steps.step_by_step();
  take_steps(steps, 0);
  whole.prefill({0, 1, 2}, {9, 7, 4});
  take_steps(whole, -1);
  expect_same(whole, steps, "in one pass");
  parts.prefill({2, 0}, {1, 4});
  parts.prefill({0}, {1});
  parts.prefill({1, 2, 0}, {7, 3, 4});
  take_steps(parts, -1);
  expect_same(parts, steps, "in parts");
  shared.prefill({0, 2}, {kShared, 4});
  ASSERT_EQ(shared.share(0, 1), kShared);
  shared.prefill({0, 1}, {4, 2});
  take_steps(shared, -1);
  expect_same(shared, steps, "with a shared beginning");
}

class PrefillPrecision : public testing::TestWithParam<kernels::PackedType> {};
INSTANTIATE_TEST_SUITE_P(, PrefillPrecision,
                         testing::Values(DType::kF32, DType::kBF16, DType::kI8,
                                         kernels::BlockType::kQ8_0, kernels::BlockType::kQ4_0),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(PrefillPrecision, OfAPromptHasTheSameBitsHoweverItIsPrefilled) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sequence at a time";
  const test::KeptThreads kept;
  for (const decode::ModelCase& c : decode::model_cases()) {
    const Seq2Seq model = decode::packed_model(c.options, GetParam());
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, {} threads", c.name, threads));
      set_threads(threads);
      const auto* dtype = std::get_if<DType>(&GetParam());
      ASSERT_NO_FATAL_FAILURE(expect_same_bits(model, dtype != nullptr ? *dtype : DType::kBF16));
    }
  }
}

}  // namespace
}  // namespace weft::models
