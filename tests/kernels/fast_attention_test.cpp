// Compares fast attention with the reference, and checks that it does not depend on the number of
// threads and the other sequences of a batch.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/kernels/cached_rows.h"
#include "tests/kernels/compare.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels {
namespace {

using test::AttentionCase;
using test::F32;

// Inputs, outputs and gradients of one case.
struct Problem {
  explicit Problem(const AttentionCase& c)
      : q_offsets(test::offsets_of(c.queries)),
        k_offsets(test::offsets_of(c.keys)),
        places(c.queries),
        shape(c) {
    const int64_t n = q_offsets.back(), m = k_offsets.back();
    const int64_t width = c.heads * c.size, value_width = c.heads * c.value_size;
    q = F32::random(n, width, 1, c.slack);
    k = F32::random(m, width / c.group, 2, c.slack);
    v = F32::random(m, value_width / c.group, 3, c.slack);
    d_out = F32::random(n, value_width, 4, c.slack);
    out = F32(n, value_width, c.slack);
    lse = F32(n, c.heads);
    d_q = F32(n, width, c.slack);
    d_k = F32(m, width / c.group, c.slack);
    d_v = F32(m, value_width / c.group, c.slack);
  }
  Attention attention() {
    return {.q = q,
            .k = k,
            .v = v,
            .out = out,
            .lse = lse,
            .q_offsets = q_offsets,
            .k_offsets = k_offsets,
            .heads = shape.heads,
            .key_heads = shape.heads / shape.group,
            .scale = 3 / std::sqrt(static_cast<double>(shape.size)),
            .causal = shape.causal,
            .dropout = places.dropout(shape.share)};
  }
  void run(const Backend& backend) {
    const Attention a = attention();
    backend(a);
    backend(AttentionBackward{.forward = a, .d_out = d_out, .d_q = d_q, .d_k = d_k, .d_v = d_v});
  }
  std::vector<const F32*> results() const { return {&out, &lse, &d_q, &d_k, &d_v}; }

  std::vector<int32_t> q_offsets, k_offsets;
  test::RowPlaces places;
  AttentionCase shape;
  F32 q, k, v, d_out, out, lse, d_q, d_k, d_v;
};

using test::expect_close;

class FastAttention : public testing::TestWithParam<AttentionCase> {};

TEST_P(FastAttention, AgreesWithTheReference) {
  Problem reference(GetParam());
  reference.run(ref_backend());
  test::for_each_target([&] {
    Problem fast(GetParam());
    fast.run(cpu_backend());
    for (size_t i = 0; i < fast.results().size(); ++i) {
      SCOPED_TRACE(testing::Message() << "result " << i);
      expect_close(*fast.results()[i], *reference.results()[i], 1e-5);  // sums in another order
    }
    Problem rounded(GetParam());
    rounded.run(test::bf16_twin());
    for (size_t i = 0; i < rounded.results().size(); ++i) {
      SCOPED_TRACE(testing::Message() << "result " << i << " in bfloat16");
      expect_close(*rounded.results()[i], *reference.results()[i], 0.06);  // 8 bits, scores to 3
    }
  });
}

TEST_P(FastAttention, HasTheSameBitsForEveryThreadCount) {
  const weft::test::KeptThreads kept;
  Problem one(GetParam());
  set_threads(1);
  one.run(cpu_backend());
  for (const int count : {2, 3}) {
    Problem several(GetParam());
    set_threads(count);
    several.run(cpu_backend());
    for (size_t i = 0; i < one.results().size(); ++i) {
      EXPECT_EQ(*one.results()[i], *several.results()[i]) << "result " << i;
    }
  }
}

TEST_P(FastAttention, SurvivesLargeScores) {
  Problem fast(GetParam()), reference(GetParam());
  for (Problem* p : {&fast, &reference}) {
    ref_backend()(Scale{.alpha = 40, .x = p->q, .y = p->q});
    p->shape.share = 0;
  }
  cpu_backend()(fast.attention());
  ref_backend()(reference.attention());
  expect_close(fast.out, reference.out, 2e-3);  // exp doubles the rounding of scores near 500
  expect_close(fast.lse, reference.lse, 1e-5);
}

// Sequence b alone has the same bits as in the batch.
TEST_P(FastAttention, ASequenceDoesNotDependOnItsBatchMates) {
  Problem batch(GetParam());
  batch.run(cpu_backend());
  for (size_t b = 0; b < GetParam().queries.size(); ++b) {
    AttentionCase alone_case = GetParam();
    alone_case.queries = {GetParam().queries[b]};
    alone_case.keys = {GetParam().keys[b]};
    Problem alone(alone_case);
    const int64_t q0 = batch.q_offsets[b], k0 = batch.k_offsets[b];
    const auto take = [](F32& from, F32& to, int64_t row) {
      for (int64_t i = 0; i < to.rows(); ++i) {
        std::copy_n(from.row(row + i), to.cols(), to.row(i));
      }
    };
    take(batch.q, alone.q, q0);
    take(batch.k, alone.k, k0);
    take(batch.v, alone.v, k0);
    take(batch.d_out, alone.d_out, q0);
    for (int32_t& sequence : alone.places.sequence) sequence = static_cast<int32_t>(b);
    alone.run(cpu_backend());
    for (size_t i = 0; i < alone.results().size(); ++i) {
      const F32 &got = *alone.results()[i], &whole = *batch.results()[i];
      const int64_t first_row = i < 3 ? q0 : k0;
      for (int64_t r = 0; r < got.rows(); ++r) {
        for (int64_t j = 0; j < got.cols(); ++j) {
          ASSERT_EQ(got.at(r, j), whole.at(first_row + r, j)) << "result " << i << " row " << r;
        }
      }
    }
  }
}

class FastAttentionOfOneQuery : public testing::TestWithParam<test::AttentionCase> {};

// A query has the same bits with and without the other queries of its sequence.
TEST_P(FastAttentionOfOneQuery, DoesNotDependOnTheOthers) {
  Problem whole(GetParam());
  cpu_backend()(whole.attention());
  for (size_t b = 0; b < GetParam().queries.size(); ++b) {
    for (int32_t i = 0; i < GetParam().queries[b]; i += 11) {
      const int64_t row = whole.q_offsets[b] + i;
      F32 q = whole.q, out(1, whole.out.cols()), lse(1, whole.lse.cols());
      Attention a = whole.attention();
      const std::vector<int32_t> one{0, 1};
      const std::vector<int32_t> keys{whole.k_offsets[b], whole.k_offsets[b + 1]};
      a.q = {q.row(row), DType::kF32, 1, q.cols(), q.cols(), 1};
      a.out = out;
      a.lse = lse;
      a.q_offsets = one;
      a.k_offsets = keys;
      cpu_backend()(a);
      for (int64_t j = 0; j < out.cols(); ++j) ASSERT_EQ(out.at(0, j), whole.out.at(row, j));
    }
  }
}

// Cases that do not depend on the query's position in its sequence.
std::vector<test::AttentionCase> placeless_cases() {
  std::vector<test::AttentionCase> cases = test::attention_cases();
  std::erase_if(cases, [](const auto& c) { return c.causal || c.share > 0; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, FastAttention, testing::ValuesIn(test::attention_cases()));
INSTANTIATE_TEST_SUITE_P(Cases, FastAttentionOfOneQuery, testing::ValuesIn(placeless_cases()));

struct CachedCase {
  int64_t rows, capacity, length, heads, size, value_size;
};

class FastCachedAttention : public testing::TestWithParam<CachedCase> {};

TEST_P(FastCachedAttention, AgreesWithTheReferenceForEveryThreadCount) {
  const CachedCase& c = GetParam();
  F32 q = F32::random(c.rows, c.heads * c.size, 1);
  F32 keys = F32::random(c.capacity, c.heads * c.size, 2);
  F32 values = F32::random(c.capacity, c.heads * c.value_size, 3);
  std::vector<int32_t> rows, offsets{0};
  RandomStream draws(5, 5);
  for (int64_t w = 0; w < c.rows; ++w) {
    const auto length = 1 + static_cast<int64_t>(draws.below(c.length));
    for (int64_t t = 0; t < length; ++t) {
      rows.push_back(static_cast<int32_t>(draws.below(c.capacity)));
    }
    offsets.push_back(static_cast<int32_t>(rows.size()));
  }
  const auto lists = test::parts(rows, offsets);
  std::vector<float> weights(rows.size());
  const std::vector<float*> weights_of_rows = test::beginnings(weights, offsets);
  std::vector<int32_t> positions;  // of queries: before, among and after the keys
  for (int64_t w = 0; w < c.rows; ++w) positions.push_back(static_cast<int32_t>(w * w) % 11);
  F32 table = F32::random(9, c.heads, 4);
  const auto run = [&](const Backend& backend, int count, DType type, bool tells_weights,
                       bool has_places = false) {
    const test::PagedCopy cached_keys(keys, type, c.heads), cached_values(values, type, c.heads);
    F32 out(c.rows, c.heads * c.value_size);
    ScoreBias bias;
    if (has_places) bias.table = table;
    const weft::test::KeptThreads kept;
    set_threads(count);
    backend(CachedAttention{
        .q = q,
        .out = out,
        .keys = cached_keys.rows(),
        .values = cached_values.rows(),
        .rows = lists,
        .heads = c.heads,
        .scale = 0.8,
        .bias = bias,
        .position = has_places ? positions.data() : nullptr,
        .weights = tells_weights ? std::span(weights_of_rows) : std::span<float* const>()});
    return out;
  };
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    const F32 expected = run(ref_backend(), 1, type, true);
    const std::vector<float> expected_weights = weights;
    test::for_each_target([&] {
      const F32 fast = run(cpu_backend(), 1, type, false);
      expect_close(fast, expected, 1e-5);  // sums in another order
      EXPECT_EQ(fast, run(cpu_backend(), 2, type, false));
      EXPECT_EQ(fast, run(cpu_backend(), 2, type, true));
      expect_close(run(cpu_backend(), 2, type, false, true),
                   run(ref_backend(), 1, type, false, true), 1e-5);
      for (size_t i = 0; i < weights.size(); ++i) {
        ASSERT_NEAR(weights[i], expected_weights[i], 1e-5) << i;
      }
    });
  }
}

// Two prompts of rows that share a list, the first with `before` keys that are no rows of it, and
// rows of other lists between them. The last row attends to less than the one before it.
struct PromptCase {
  int64_t rows, before, size, value_size;
  AttentionPattern pattern = {};
  double soft_cap = 0;
};

class FastCachedAttentionOfPrompts : public testing::TestWithParam<PromptCase> {};

// A row's result is the same whether its list is shared and whatever the other heads do.
TEST_P(FastCachedAttentionOfPrompts, IsThatOfRowsAlone) {
  const PromptCase& c = GetParam();
  constexpr int64_t kHeads = 6, kKeyHeads = 2;
  const int64_t capacity = c.before + c.rows, count = c.rows + 3 + c.rows / 2;
  F32 q = F32::random(count, kHeads * c.size, 1), keys = F32::random(capacity, 2 * c.size, 2),
      values = F32::random(capacity, 2 * c.value_size, 3);
  keys.at(capacity - 1, 0) = std::numeric_limits<float>::quiet_NaN();  // the last key of one row
  std::vector<int32_t> list;
  for (int32_t i = 0; i < capacity - 1; ++i) list.push_back((i * 7 + 3) % (capacity - 1));
  list.push_back(static_cast<int32_t>(capacity - 1));
  std::vector<std::vector<int32_t>> own;  // lists of each row
  std::vector<std::span<const int32_t>> shared;
  const auto add = [&](const std::vector<int32_t>& all, int64_t length) {
    own.emplace_back(all.begin(), all.begin() + length);
    shared.push_back(std::span(all).first(static_cast<size_t>(length)));
  };
  for (int64_t n = 1; n <= c.rows; ++n) add(list, c.before + n);
  const std::vector<int32_t> reversed(list.rbegin() + 1, list.rend());
  const std::vector<int32_t> few = {0};
  add(few, 1);
  add(few, 1);
  for (int64_t n = 1; n <= c.rows / 2; ++n) add(reversed, n);
  add(reversed, 1);
  const weft::test::KeptThreads kept;
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    const test::PagedCopy cached_keys(keys, type, kKeyHeads);
    const test::PagedCopy cached_values(values, type, kKeyHeads);
    const auto attend = [&](const View& from, std::span<const std::span<const int32_t>> rows,
                            const View& to, int64_t only_head) {
      cpu_backend()(CachedAttention{.q = from,
                                    .out = to,
                                    .keys = cached_keys.rows(),
                                    .values = cached_values.rows(),
                                    .rows = rows,
                                    .heads = kHeads,
                                    .key_heads = kKeyHeads,
                                    .scale = 0.3,
                                    .pattern = c.pattern,
                                    .soft_cap = c.soft_cap,
                                    .only_head = only_head});
    };
    const auto bits = [](F32& x) {  // one NaN is as good as another
      std::vector<uint32_t> out;
      for (int64_t n = 0; n < x.rows(); ++n) {
        for (int64_t f = 0; f < x.cols(); ++f) {
          const float value = x.at(n, f);
          out.push_back(std::isnan(value) ? 0x7FC00000 : std::bit_cast<uint32_t>(value));
        }
      }
      return out;
    };
    test::for_each_target([&] {
      F32 alone(count, kHeads * c.value_size), by_head = alone, seen = alone;
      for (int64_t n = 0; n < count; ++n) {
        const std::span<const int32_t> row = own[static_cast<size_t>(n)];
        attend(View(q).range(n, n + 1), {&row, 1}, View(alone).range(n, n + 1), -1);
        // Without keys that the pattern hides.
        const std::span<const int32_t> rest =
            row.subspan(static_cast<size_t>(c.pattern.first_key(std::ssize(row) - 1)));
        attend(View(q).range(n, n + 1), {&rest, 1}, View(seen).range(n, n + 1), -1);
      }
      EXPECT_EQ(bits(seen), bits(alone));
      for (int64_t h = 0; h < kHeads; ++h) attend(q, shared, by_head, h);
      EXPECT_EQ(bits(alone), bits(by_head));
      for (const int threads : {1, 2}) {
        set_threads(threads);
        F32 whole(count, kHeads * c.value_size);
        attend(q, shared, whole, -1);
        EXPECT_EQ(bits(whole), bits(alone)) << name_of(type) << ", " << threads << " threads";
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FastCachedAttentionOfPrompts,
    testing::Values(PromptCase{9, 0, 12, 12}, PromptCase{2, 0, 16, 32}, PromptCase{70, 5, 64, 64},
                    PromptCase{33, 40, 32, 16}, PromptCase{20, 1, 48, 24},
                    PromptCase{30, 200, 64, 80}, PromptCase{30, 200, 64, 64, {.window = 90}},
                    PromptCase{70, 40, 32, 32, {.window = 21}},
                    PromptCase{40, 0, 16, 16, {.window = 1}, 2},
                    PromptCase{66, 5, 16, 32, {.window = 1, .block = 8}},
                    PromptCase{33, 9, 16, 16, {.window = 1, .block = 4, .global = 3}},
                    PromptCase{33, 9, 32, 16, {}, 1.5}));

INSTANTIATE_TEST_SUITE_P(Cases, FastCachedAttention,
                         testing::Values(CachedCase{1, 1, 1, 1, 4, 4},
                                         CachedCase{6, 8, 13, 3, 5, 7},
                                         CachedCase{12, 12, 40, 8, 64, 64},
                                         CachedCase{64, 80, 33, 4, 32, 32},
                                         CachedCase{3, 4, 300, 2, 64, 64}));

}  // namespace
}  // namespace weft::kernels
