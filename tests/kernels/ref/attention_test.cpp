#include "weft/kernels/attention.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

// A textbook example: values are rows of the identity, so that outputs are weights.
struct Textbook {
  Buffer<double> q{2, 4, {1, 0, 1, 0, 0, 1, 0, 1}};
  Buffer<double> v{2, 2, {1, 0, 0, 1}};
  Buffer<double> out{2, 2}, lse{2, 1};
  std::vector<int32_t> offsets{0, 2};

  Attention attention(double scale, bool causal = false) {
    return {.q = q,
            .k = q,
            .v = v,
            .out = out,
            .lse = lse,
            .q_offsets = offsets,
            .k_offsets = offsets,
            .heads = 1,
            .scale = scale,
            .causal = causal,
            .dropout = {}};
  }
};

TEST(ReferenceAttention, GivesTheTextbookWeightsWithoutScale) {
  Textbook t;
  ref_backend()(t.attention(1));
  expect_near(t.out, {0.88, 0.12, 0.12, 0.88}, 0.005);
  EXPECT_NEAR(t.lse.at(0, 0), std::log(std::exp(2) + 1), 1e-12);
}

TEST(ReferenceAttention, GivesTheTextbookWeightsWithScale) {
  Textbook t;
  ref_backend()(t.attention(1 / std::sqrt(4)));
  expect_near(t.out, {0.73, 0.27, 0.27, 0.73}, 0.005);
}

TEST(ReferenceAttention, CausalQueriesSeeNoLaterKey) {
  Textbook t;
  ref_backend()(t.attention(1, true));
  expect_near(t.out, {1, 0, 0.12, 0.88}, 0.005);
}

TEST(ReferenceAttention, SequencesDoNotSeeEachOther) {
  Textbook t;
  t.offsets = {0, 1, 1, 2};
  ref_backend()(t.attention(1));
  expect_near(t.out, {1, 0, 0, 1}, 1e-12);
}

TEST(ReferenceAttention, ASequenceWithoutKeysGivesZeros) {
  Textbook t;
  const std::vector<int32_t> keys{0, 0, 2}, queries{0, 1, 2};
  Attention a = t.attention(1);
  a.q_offsets = queries;
  a.k_offsets = keys;
  ref_backend()(a);
  expect_near(t.out, {0, 0, 0.12, 0.88}, 0.005);
}

TEST(ReferenceAttention, DropoutScalesOrDropsEachWeight) {
  Textbook t;
  Attention a = t.attention(1);
  const std::vector<int32_t> sequence{3, 3}, position{0, 1};
  a.dropout = {32768, 11, {5, 6}, sequence.data(), position.data()};
  ref_backend()(a);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      const double weight = i == j ? std::exp(2) / (std::exp(2) + 1) : 1 / (std::exp(2) + 1);
      EXPECT_NEAR(t.out.at(i, j), weight * a.dropout.factor_at(i, j), 1e-12);
    }
  }
}

TEST(ReferenceCachedAttention, EqualsAttentionOfTheLastQuery) {
  Textbook t;
  ref_backend()(t.attention(1));
  // The one hypothesis wrote its first step to row 1 and its second to row 2.
  Buffer<double> keys(4, 4, {9, 9, 9, 9, 1, 0, 1, 0, 0, 1, 0, 1, 9, 9, 9, 9});
  Buffer<double> values(4, 2, {9, 9, 1, 0, 0, 1, 9, 9});
  Buffer<double> q(1, 4, {0, 1, 0, 1}), out(1, 2);
  const std::vector<int32_t> rows{1, 2};
  const std::span<const int32_t> list = rows;
  const View key_view = keys, value_view = values;
  ref_backend()(CachedAttention{.q = q,
                                .out = out,
                                .keys = key_view,
                                .values = value_view,
                                .rows = {&list, 1},
                                .heads = 1,
                                .scale = 1});
  expect_near(out, {t.out.at(1, 0), t.out.at(1, 1)}, 1e-12);
}

// sum(out * weights), for differences.
double objective(const Attention& a, const Buffer<double>& weights, Buffer<double>& out) {
  ref_backend()(a);
  double sum = 0;
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t j = 0; j < out.cols(); ++j) sum += out.at(i, j) * weights.at(i, j);
  }
  return sum;
}

void expect_slope(Buffer<double>& x, const Buffer<double>& d_x,
                  const std::function<double()>& value) {
  constexpr double kStep = 1e-5;
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t j = 0; j < x.cols(); ++j) {
      const double saved = x.at(i, j);
      x.at(i, j) = saved + kStep;
      const double above = value();
      x.at(i, j) = saved - kStep;
      const double below = value();
      x.at(i, j) = saved;
      EXPECT_NEAR(d_x.at(i, j), (above - below) / (2 * kStep), 1e-8) << i << ", " << j;
    }
  }
}

class AttentionGradientTest : public testing::TestWithParam<bool> {};

TEST_P(AttentionGradientTest, AgreesWithDifferences) {
  const std::vector<int32_t> q_offsets{0, 3, 3, 7}, k_offsets{0, 2, 4, 8};
  const std::vector<int32_t> sequence{0, 0, 0, 2, 2, 2, 2}, position{0, 1, 2, 0, 1, 2, 3};
  auto q = Buffer<double>::random(7, 6, 1), k = Buffer<double>::random(8, 6, 2);
  auto v = Buffer<double>::random(8, 4, 3), d_out = Buffer<double>::random(7, 4, 4);
  Buffer<double> out(7, 4), lse(7, 2), d_q(7, 6), d_k(8, 6), d_v(8, 4);
  const Attention a{.q = q,
                    .k = k,
                    .v = v,
                    .out = out,
                    .lse = lse,
                    .q_offsets = q_offsets,
                    .k_offsets = k_offsets,
                    .heads = 2,
                    .scale = 0.7,
                    .causal = GetParam(),
                    .dropout = {13107, 4, {1, 2}, sequence.data(), position.data()}};
  ref_backend()(a);
  ref_backend()(
      AttentionBackward{.forward = a, .d_out = d_out, .d_q = d_q, .d_k = d_k, .d_v = d_v});
  const auto value = [&] { return objective(a, d_out, out); };
  expect_slope(q, d_q, value);
  expect_slope(k, d_k, value);
  expect_slope(v, d_v, value);
}

INSTANTIATE_TEST_SUITE_P(FullAndCausal, AttentionGradientTest, testing::Bool());

}  // namespace
}  // namespace weft::kernels
