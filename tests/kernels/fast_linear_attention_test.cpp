// Compares fast linear attention with the reference: forward, backward, and the decoding step,
// which must also match the causal pass.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "tests/kernels/compare.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/linear_attention.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::expect_close;
using test::F32;
using test::Outputs;

struct LinearCase {
  const char* name;
  std::vector<int32_t> queries, keys;
  int64_t heads, size, value_size, slack;
  friend std::ostream& operator<<(std::ostream& out, const LinearCase& c) { return out << c.name; }
};

// A chunk has 12, 24 or 48 rows, depending on the instruction set.
std::vector<LinearCase> linear_cases() {
  const std::vector<int32_t> chunks{11, 12, 13, 23, 24, 25, 47, 48, 49}, long_ones{100, 150, 97};
  return {
      {"one token", {1}, {1}, 1, 4, 4, 0},
      {"nothing", {}, {}, 2, 8, 8, 0},
      {"odd head sizes", {3, 5}, {4, 2}, 3, 5, 7, 0},
      {"empty sequences", {0, 6, 0, 4, 0}, {3, 6, 0, 0, 0}, 2, 16, 16, 3},
      {"around a chunk", chunks, chunks, 2, 16, 15, 0},
      {"views into one matrix", long_ones, long_ones, 2, 24, 20, 40},
      {"more keys", {9, 60, 50, 48}, {21, 130, 51, 200}, 2, 16, 16, 0},
      {"fewer keys", {21, 130, 51, 200}, {9, 60, 50, 48}, 3, 7, 5, 3},
      {"wide heads", {20, 50}, {33, 50}, 1, 200, 136, 0},
  };
}

// Values exact in BF16. Those that form divisors are positive, like features of queries and keys,
// and not too small.
F32 short_numbers(F32 x, bool is_positive = false) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t j = 0; j < x.cols(); ++j) {
      const float value = is_positive ? 0.1f + std::abs(x.at(i, j)) : x.at(i, j);
      x.at(i, j) = static_cast<float>(BF16(value));
    }
  }
  return x;
}

// compare() also passes the BF16 twin, which does not round the views of linear attention; they are
// rounded here.
bool is_twin(const Backend& b) { return &b != &ref_backend() && &b != &cpu_backend(); }

void attend(const Backend& b, LinearAttention a) {
  if (!is_twin(b)) return b(a);
  test::Rounded q(a.q), k(a.k), v(a.v);
  test::RoundedOutput out(a.out);
  a.q = q, a.k = k, a.v = v, a.out = out;
  b(a);
}

void differentiate(const Backend& b, LinearAttentionBackward g) {
  if (!is_twin(b)) return b(g);
  LinearAttention& a = g.forward;
  test::Rounded q(a.q), k(a.k), v(a.v), out(a.out), d_out(g.d_out);
  test::RoundedOutput d_q(g.d_q), d_k(g.d_k), d_v(g.d_v);
  a.q = q, a.k = k, a.v = v, a.out = out;
  g.d_out = d_out, g.d_q = d_q, g.d_k = d_k, g.d_v = d_v;
  b(g);
}

// A case, whether it is causal, and whether outputs are divided by weight.
class FastLinearAttention : public testing::TestWithParam<std::tuple<LinearCase, bool, bool>> {
 protected:
  FastLinearAttention() {
    const auto& [c, causal, weighs] = GetParam();
    q_offsets_ = test::offsets_of(c.queries);
    k_offsets_ = test::offsets_of(c.keys);
    q_ = short_numbers(queries(c.size, 1), weighs);
    k_ = short_numbers(keys(c.size, 2), weighs);
    v_ = short_numbers(keys(c.value_size, 3));
    d_out_ = short_numbers(queries(c.value_size, 4));
    // Outputs are overwritten.
    out_ = queries(c.value_size, 5);
    divisors_ = queries(1, 6);
    gradients_ = {queries(c.size, 7), keys(c.size, 8), keys(c.value_size, 9)};
  }
  F32 queries(int64_t size, uint64_t stream) const { return rows(q_offsets_, size, stream); }
  F32 keys(int64_t size, uint64_t stream) const { return rows(k_offsets_, size, stream); }
  static F32 rows(const std::vector<int32_t>& offsets, int64_t size, uint64_t stream) {
    const LinearCase& c = std::get<0>(GetParam());
    return F32::random(offsets.back(), c.heads * size, stream, c.slack);
  }
  LinearAttention call(View out, View divisors) {
    const auto& [c, causal, weighs] = GetParam();
    return {.q = q_,
            .k = k_,
            .v = v_,
            .out = out,
            .divisors = divisors,
            .q_offsets = q_offsets_,
            .k_offsets = k_offsets_,
            .heads = c.heads,
            .causal = causal,
            .by_weight = weighs};
  }

  std::vector<int32_t> q_offsets_, k_offsets_;
  F32 q_, k_, v_, d_out_, out_, divisors_;
  Outputs gradients_;
};

constexpr double kSumTolerance = 2e-5;  // sums in another order

TEST_P(FastLinearAttention, AgreesWithTheReference) {
  compare({out_, divisors_}, kSumTolerance,
          [&](const Backend& b, Outputs& out) { attend(b, call(out[0], out[1])); });
}

TEST_P(FastLinearAttention, HasTheGradientsOfTheReference) {
  ref_backend()(call(out_, divisors_));
  compare(gradients_, kSumTolerance, [&](const Backend& b, Outputs& d) {
    differentiate(b, {call(out_, divisors_), d_out_, d[0], d[1], d[2]});
  });
}

TEST_P(FastLinearAttention, ASequenceDoesNotDependOnItsBatchMates) {
  const auto run = [&](const LinearAttention& a, Outputs& d) {
    cpu_backend()(a);
    cpu_backend()(LinearAttentionBackward{
        .forward = a, .d_out = d_out_, .d_q = d[0], .d_k = d[1], .d_v = d[2]});
  };
  F32 out = out_, divisors = divisors_;
  Outputs batch = gradients_, alone = gradients_;
  run(call(out_, divisors_), batch);
  for (size_t b = 0; b + 1 < q_offsets_.size(); ++b) {
    LinearAttention one = call(out, divisors);
    one.q_offsets = one.q_offsets.subspan(b, 2);
    one.k_offsets = one.k_offsets.subspan(b, 2);
    run(one, alone);
  }
  EXPECT_EQ(out, out_);
  EXPECT_EQ(divisors, divisors_);
  EXPECT_EQ(batch, alone);
}

INSTANTIATE_TEST_SUITE_P(Cases, FastLinearAttention,
                         testing::Combine(testing::ValuesIn(linear_cases()), testing::Bool(),
                                          testing::Bool()));

struct StepCase {
  int64_t rows, heads, size, value_size, slack;
};
constexpr StepCase kSteps[] = {{0, 2, 4, 4, 0},   {1, 1, 1, 1, 0},   {1, 8, 64, 64, 0},
                               {7, 3, 5, 7, 3},   {6, 2, 16, 15, 0}, {40, 4, 32, 31, 8},
                               {40, 4, 32, 32, 0}};

// F32 only: the fast backend has no BF16 step.
TEST(FastLinearAttentionStep, AgreesWithTheReference) {
  for (const StepCase& c : kSteps) {
    for (const bool weighs : {true, false}) {
      SCOPED_TRACE(testing::Message() << c.rows << " rows of " << c.heads << " x " << c.size);
      const auto random = [&](int64_t size, uint64_t stream, bool is_positive) {
        return short_numbers(F32::random(c.rows, c.heads * size, stream, c.slack), is_positive);
      };
      F32 q = random(c.size, 1, weighs), k = random(c.size, 2, weighs);
      F32 v = random(c.value_size, 3, false);
      const F32 state = random(c.size * (c.value_size + 1), 4, weighs);
      std::vector<int32_t> position;
      for (int32_t w = 0; w < c.rows; ++w) position.push_back(w * 5 % 11);
      compare({random(c.value_size, 5, false), state}, kSumTolerance,
              [&](const Backend& b, Outputs& out) {
                b(LinearAttentionStep{.q = q,
                                      .k = k,
                                      .v = v,
                                      .out = out[0],
                                      .state = out[1],
                                      .position = position.data(),
                                      .heads = c.heads,
                                      .by_weight = weighs});
              });
    }
  }
}

// Row `step` of each of some sequences of equal length.
View rows_at(F32& x, int64_t step, int64_t length) {
  const View all = x.view();
  return {all.at(step, 0), all.dtype, all.rows / length, all.cols, length * all.stride};
}

TEST(FastLinearAttentionStep, MatchesTheCausalPass) {
  constexpr int64_t kSequences = 3, kLength = 60, kHeads = 2, kSize = 9, kValueSize = 10;
  constexpr int64_t kRows = kSequences * kLength;
  const std::vector<int32_t> offsets = test::offsets_of({kLength, kLength, kLength});
  for (const bool weighs : {true, false}) {
    F32 q = short_numbers(F32::random(kRows, kHeads * kSize, 1), weighs);
    F32 k = short_numbers(F32::random(kRows, kHeads * kSize, 2), weighs);
    F32 v = F32::random(kRows, kHeads * kValueSize, 3);
    test::for_each_target([&] {
      F32 whole(kRows, kHeads * kValueSize), stepped = whole, divisors(kRows, kHeads);
      F32 state(kSequences, kHeads * kSize * (kValueSize + 1));
      cpu_backend()(LinearAttention{.q = q,
                                    .k = k,
                                    .v = v,
                                    .out = whole,
                                    .divisors = divisors,
                                    .q_offsets = offsets,
                                    .k_offsets = offsets,
                                    .heads = kHeads,
                                    .causal = true,
                                    .by_weight = weighs});
      for (int64_t t = 0; t < kLength; ++t) {
        const std::vector<int32_t> position(kSequences, static_cast<int32_t>(t));
        cpu_backend()(LinearAttentionStep{.q = rows_at(q, t, kLength),
                                          .k = rows_at(k, t, kLength),
                                          .v = rows_at(v, t, kLength),
                                          .out = rows_at(stepped, t, kLength),
                                          .state = state,
                                          .position = position.data(),
                                          .heads = kHeads,
                                          .by_weight = weighs});
      }
      expect_close(stepped, whole, kSumTolerance);
    });
  }
}

}  // namespace
}  // namespace weft::kernels
