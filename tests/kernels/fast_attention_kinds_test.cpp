// Compares fast attention with patterns, score functions, biases and grouped heads with the
// reference, in training and in decoding steps.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/cached_rows.h"
#include "tests/kernels/compare.h"
#include "tests/support/kept_threads.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/ref/score_function.h"

namespace weft::kernels {
namespace {

using test::expect_close;
using test::F32;

constexpr int64_t kKindHeads = 4;
constexpr float kSlopes[kKindHeads] = {0.125f, 0.0625f, 0.04f, 0};
constexpr double kExact = 5e-5;     // sums in another order, of squares up to 30
constexpr double kTableSum = 2e-4;  // a row of the table sums thousands of pairs

// Sequences with fewer keys than a tile of 128, equal, more, and enough to split grouped heads;
// with fewer, equal and more queries; and without keys or queries.
const std::vector<int32_t> kQueries{127, 30, 128, 50, 129, 0, 160, 7, 140, 20};
const std::vector<int32_t> kKeys{127, 128, 128, 129, 129, 5, 160, 0, 31, 520};

// The pattern, the bias and the head sizes.
struct Rule {
  const char* name;
  AttentionPattern pattern;
  bool has_slopes;
  int64_t most;   // R of the table of 2R + 1 rows; -1: no table
  int64_t group;  // heads to a head of keys
  int64_t size, value_size, slack;
  double share;     // dropout probability
  bool has_places;  // explicit positions that differ from indices
  double soft_cap = 0;
};

const Rule kRules[] = {
    {"everything", {}, false, -1, 1, 16, 16, 0, 0, false},
    {"one head of keys, with dropout", {}, false, -1, 4, 5, 7, 3, 0.2, false},
    {"a window", {.window = 5}, false, -1, 1, 16, 16, 0, 0, false},
    {"a window and dropout", {.window = 20}, false, -1, 1, 16, 24, 0, 0.2, false},
    {"blocks and global rows", {0, 16, 3}, false, -1, 2, 16, 24, 3, 0, false},
    {"slopes", {}, true, -1, 4, 8, 8, 0, 0, false},
    {"a table", {}, false, 4, 2, 16, 16, 0, 0, false},
    {"all of it", {2, 8, 2}, true, 140, 2, 5, 7, 3, 0.1, false},
    {"given positions", {9, 1, 1}, true, 3, 1, 16, 16, 0, 0.1, true},
    {"given positions in a window", {.window = 9}, false, -1, 1, 16, 16, 0, 0, true},
    {"a soft cap", {}, false, -1, 2, 16, 16, 0, 0.1, false, 1.5},
    {"a soft cap and all of it", {2, 8, 2}, true, 140, 2, 5, 7, 3, 0.1, false, 2},
};

struct Kind {
  ScoreFunction function;
  Rule params;
  bool causal;

  friend std::ostream& operator<<(std::ostream& out, const Kind& kind) {
    constexpr const char* kNames[] = {"softmax", "relu", "relu2", "sigmoid", "sparsemax", "entmax"};
    return out << kNames[static_cast<int>(kind.function)] << " over " << kind.params.name
               << (kind.causal ? ", causal" : "");
  }
};

std::vector<Kind> kinds(bool causal) {
  std::vector<Kind> out;
  for (const ScoreFunction function :
       {ScoreFunction::kSoftmax, ScoreFunction::kRelu, ScoreFunction::kSquaredRelu,
        ScoreFunction::kSigmoid, ScoreFunction::kSparsemax, ScoreFunction::kEntmax15}) {
    for (const Rule& params : kRules) out.push_back({function, params, causal});
  }
  return out;
}

// Values exact in BF16, so that kernels of both types have the same reference.
F32 short_numbers(int64_t rows, int64_t cols, uint64_t stream, int64_t slack = 0) {
  F32 x = F32::random(rows, cols, stream, slack);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) x.at(i, j) = static_cast<float>(BF16(x.at(i, j)));
  }
  return x;
}

// Inputs, outputs and gradients of one kind.
struct KindProblem {
  explicit KindProblem(const Kind& tested_kind)
      : kind(tested_kind),
        q_offsets(test::offsets_of(kQueries)),
        k_offsets(test::offsets_of(kKeys)),
        places(kQueries) {
    const Rule& r = kind.params;
    const int64_t n = q_offsets.back(), m = k_offsets.back(), key_heads = kKindHeads / r.group;
    q = short_numbers(n, kKindHeads * r.size, 1, r.slack);
    k = short_numbers(m, key_heads * r.size, 2, r.slack);
    v = short_numbers(m, key_heads * r.value_size, 3, r.slack);
    d_out = short_numbers(n, kKindHeads * r.value_size, 4, r.slack);
    out = F32(n, kKindHeads * r.value_size, r.slack);
    lse = F32(n, kKindHeads);
    d_q = F32::random(n, kKindHeads * r.size, 5, r.slack);  // to be overwritten
    d_k = F32::random(m, key_heads * r.size, 6, r.slack);
    d_v = F32::random(m, key_heads * r.value_size, 7, r.slack);
    if (r.most >= 0) {
      table = short_numbers(2 * r.most + 1, kKindHeads, 8);
      d_table = F32::random(2 * r.most + 1, kKindHeads, 9);  // to be added to
    }
    for (const int32_t position : places.position) q_position.push_back(position + 4);
    for (const int32_t keys : kKeys) {  // backwards
      for (int32_t j = keys - 1; j >= 0; --j) k_position.push_back(j);
    }
    silence_corners();
  }

  Attention attention(View bias_table) {
    const Rule& r = kind.params;
    Attention a{.q = q,
                .k = k,
                .v = v,
                .out = out,
                .lse = {},
                .q_offsets = q_offsets,
                .k_offsets = k_offsets,
                .heads = kKindHeads,
                .key_heads = kKindHeads / r.group,
                .scale = 3 / std::sqrt(static_cast<double>(r.size)),
                .causal = kind.causal,
                .dropout = places.dropout(r.share),
                .pattern = r.pattern,
                .function = kind.function,
                .soft_cap = r.soft_cap};
    a.bias.table = bias_table;
    if (r.has_slopes) a.bias.slopes = kSlopes;
    if (r.has_places) a.q_position = q_position.data(), a.k_position = k_position.data();
    if (a.is_plain()) a.lse = lse;
    return a;
  }

  // At a kink of the score function either slope is correct, so such queries have zero gradients.
  void silence_corners() {
    if (kind.function != ScoreFunction::kRelu && kind.function != ScoreFunction::kSparsemax) return;
    const Attention a = attention(table);
    ref::for_each_row(a, [&](const ref::AttentionRow& r) {
      const std::vector<float> scores = ref::scores<float>(a, r);
      std::vector<float> weights = scores;
      const float corner =
          ref::to_probabilities(kind.function, std::span(weights));  // 0 or the threshold
      const bool is_at_it = std::ranges::any_of(
          scores, [&](float score) { return std::abs(score - corner) < 2e-5f; });
      const int64_t size = kind.params.value_size;
      if (is_at_it) std::fill_n(d_out.row(r.query) + r.head * size, size, 0.0f);
    });
  }

  void run(const Backend& backend) { run(backend, attention(table)); }
  void run_in_bf16() {
    test::Rounded rounded(table);
    run(test::bf16_twin(), attention(rounded));
  }
  void run_each_sentence_alone(const Backend& backend) {
    for (size_t b = 0; b < kQueries.size(); ++b) {
      Attention a = attention(table);
      a.q_offsets = a.q_offsets.subspan(b, 2);
      a.k_offsets = a.k_offsets.subspan(b, 2);
      run(backend, a);
    }
  }
  void run(const Backend& backend, const Attention& a) {
    backend(a);
    backend(AttentionBackward{
        .forward = a, .d_out = d_out, .d_q = d_q, .d_k = d_k, .d_v = d_v, .d_table = d_table});
  }
  std::vector<const F32*> results() const { return {&out, &lse, &d_q, &d_k, &d_v, &d_table}; }

  Kind kind;
  std::vector<int32_t> q_offsets, k_offsets, q_position, k_position;
  test::RowPlaces places;
  F32 q, k, v, d_out, out, lse, d_q, d_k, d_v, table, d_table;
};

class FastAttentionKinds : public testing::TestWithParam<Kind> {};

TEST_P(FastAttentionKinds, AgreeWithTheReferenceForwardAndBackward) {
  const KindProblem fresh(GetParam());
  KindProblem reference = fresh;
  reference.run(ref_backend());
  // Outputs are rounded to 8 bits, gradients of shared keys once per part of the heads; squares
  // have the largest errors.
  const double bf16 = GetParam().function == ScoreFunction::kSquaredRelu ? 0.2 : 0.06;
  test::for_each_target([&] {
    KindProblem fast = fresh, rounded = fresh;
    fast.run(cpu_backend());
    rounded.run_in_bf16();
    for (size_t i = 0; i < fast.results().size(); ++i) {
      SCOPED_TRACE(testing::Message() << "result " << i);
      const double exact = i == 5 ? kTableSum : kExact;
      expect_close(*fast.results()[i], *reference.results()[i], exact);
      SCOPED_TRACE("in bfloat16");
      const bool is_sum = i == 1 || i == 5;  // stored in F32
      expect_close(*rounded.results()[i], *reference.results()[i], is_sum ? exact : bf16);
    }
  });
}

TEST_P(FastAttentionKinds, HaveTheSameBitsForEveryThreadCountAndForSequencesAlone) {
  const KindProblem fresh(GetParam());
  KindProblem one = fresh, two = fresh, alone = fresh;
  const weft::test::KeptThreads kept;
  set_threads(1);
  one.run(cpu_backend());
  set_threads(2);
  two.run(cpu_backend());
  alone.run_each_sentence_alone(cpu_backend());
  for (size_t i = 0; i < one.results().size(); ++i) {
    EXPECT_EQ(*one.results()[i], *two.results()[i]) << "result " << i;
    EXPECT_EQ(*one.results()[i], *alone.results()[i]) << "result " << i;
  }
}

std::vector<Kind> other_kinds() {
  std::vector<Kind> all = kinds(false);
  for (const Kind& kind : kinds(true)) all.push_back(kind);
  // Plain attention is tested in fast_attention_test.cpp.
  std::erase_if(all, [](const Kind& kind) {
    const Rule& r = kind.params;
    const bool has_params =
        r.pattern.is_bounded() || r.has_slopes || r.most >= 0 || r.has_places || r.soft_cap != 0;
    return kind.function == ScoreFunction::kSoftmax && !has_params;
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, FastAttentionKinds, testing::ValuesIn(other_kinds()));

// Hypotheses with distinct rows anywhere in a cache.
struct CachedProblem {
  CachedProblem(const Kind& tested_kind, const std::vector<int32_t>& lengths)
      : kind(tested_kind), offsets(test::offsets_of(lengths)) {
    const Rule& r = kind.params;
    const int64_t count = std::ssize(lengths), key_heads = kKindHeads / r.group;
    constexpr int64_t kCapacity = 150;
    q = F32::random(count, kKindHeads * r.size, 1, r.slack);
    keys = short_numbers(kCapacity, key_heads * r.size, 2, r.slack);
    values = short_numbers(kCapacity, key_heads * r.value_size, 3, r.slack);
    if (r.most >= 0) table = F32::random(2 * r.most + 1, kKindHeads, 4);
    RandomStream draws(5, 5);
    for (int32_t t = 0; t < offsets.back(); ++t) {
      rows.push_back(static_cast<int32_t>(draws.below(kCapacity)));
    }
    for (int32_t w = 0; w < count; ++w) {  // explicit ones: before, among and after the keys
      position.push_back(r.has_places ? w * w * 37 % 350 : lengths[w] - 1);
    }
    weights.resize(rows.size());
  }
  ScoreBias bias() {
    ScoreBias out;
    out.table = table;
    if (kind.params.has_slopes) out.slopes = kSlopes;
    return out;
  }
  double scale() const { return 3 / std::sqrt(static_cast<double>(kind.params.size)); }

  // Leaves `weights` unchanged if not requested.
  F32 run(const Backend& backend, bool is_rounded, bool wants_weights) {
    F32 out(q.rows(), kKindHeads * kind.params.value_size, kind.params.slack);
    test::Rounded rounded_keys{keys.view()}, rounded_values{values.view()};
    const View key_view = is_rounded ? rounded_keys.view() : keys.view();
    const View value_view = is_rounded ? rounded_values.view() : values.view();
    const auto lists = test::parts(rows, offsets);
    std::vector<float*> weights_of_rows;
    if (wants_weights) weights_of_rows = test::beginnings(weights, offsets);
    backend(CachedAttention{.q = q,
                            .out = out,
                            .keys = key_view,
                            .values = value_view,
                            .rows = lists,
                            .heads = kKindHeads,
                            .key_heads = kKindHeads / kind.params.group,
                            .scale = scale(),
                            .pattern = kind.params.pattern,
                            .function = kind.function,
                            .soft_cap = kind.params.soft_cap,
                            .bias = bias(),
                            .position = kind.params.has_places ? position.data() : nullptr,
                            .weights = weights_of_rows});
    return out;
  }

  // The same by attention over sequences with one query and its keys each.
  F32 run_whole() {
    F32 out(q.rows(), kKindHeads * kind.params.value_size, kind.params.slack);
    F32 attended_keys(offsets.back(), keys.cols()), attended_values(offsets.back(), values.cols());
    for (int64_t t = 0; t < offsets.back(); ++t) {
      std::copy_n(keys.row(rows[t]), keys.cols(), attended_keys.row(t));
      std::copy_n(values.row(rows[t]), values.cols(), attended_values.row(t));
    }
    std::vector<int32_t> q_offsets;
    for (int32_t w = 0; w <= q.rows(); ++w) q_offsets.push_back(w);
    cpu_backend()(Attention{.q = q,
                            .k = attended_keys,
                            .v = attended_values,
                            .out = out,
                            .lse = {},
                            .q_offsets = q_offsets,
                            .k_offsets = offsets,
                            .heads = kKindHeads,
                            .key_heads = kKindHeads / kind.params.group,
                            .scale = scale(),
                            .pattern = kind.params.pattern,
                            .function = kind.function,
                            .soft_cap = kind.params.soft_cap,
                            .bias = bias(),
                            .q_position = position.data()});
    return out;
  }

  Kind kind;
  std::vector<int32_t> offsets, rows, position;
  F32 q, keys, values, table;
  std::vector<float> weights;
};

class FastCachedAttentionKinds : public testing::TestWithParam<Kind> {};

TEST_P(FastCachedAttentionKinds, AgreeWithTheReferenceAndWithAttentionOverSequences) {
  // One hypothesis is parallel over heads, many are parallel over rows.
  for (const std::vector<int32_t>& lengths :
       {std::vector<int32_t>{129}, std::vector<int32_t>{127, 128, 129, 1, 40, 300, 5}}) {
    CachedProblem reference(GetParam(), lengths), fast = reference;
    const F32 expected = reference.run(ref_backend(), false, true);
    const weft::test::KeptThreads kept;
    test::for_each_target([&] {
      expect_close(fast.run_whole(), expected, kExact);
      for (const bool is_rounded : {false, true}) {
        set_threads(1);
        const F32 out = fast.run(cpu_backend(), is_rounded, false);
        expect_close(out, expected, kExact);
        set_threads(2);
        EXPECT_EQ(out, fast.run(cpu_backend(), is_rounded, false));
        std::ranges::fill(fast.weights, -1.0f);
        EXPECT_EQ(out, fast.run(cpu_backend(), is_rounded, true));
        for (size_t i = 0; i < fast.weights.size(); ++i) {
          ASSERT_NEAR(fast.weights[i], reference.weights[i],
                      kExact * (1 + std::abs(reference.weights[i])));
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FastCachedAttentionKinds, testing::ValuesIn(kinds(false)));

}  // namespace
}  // namespace weft::kernels
