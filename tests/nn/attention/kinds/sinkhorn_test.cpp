#include "weft/nn/attention/kinds/sinkhorn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/multi_head.h"

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct SinkhornLayer {
  MultiHeadAttention attention;

  SinkhornLayer(AttentionKind kind, double spread) {
    AttentionConfig o{.features = 6, .heads = 2, .key_size = 3, .value_size = 4};
    o.kind = std::move(kind);
    RngStreams dropouts;
    attention = MultiHeadAttention(o, dropouts);
    const Tensor flat = nn::bind(parameters_of(attention), DType::kF64);
    RandomStream random(4, 2);
    for (double& x : flat.span<double>()) x = spread * random.normal();
  }
  Tensor operator()(const Tensor& x, const std::vector<int32_t>& offsets, bool causal) const {
    Context context;
    return attention.forward(x, {ops::make_layout({offsets}), {}, causal}, context);
  }
};

TEST(SinkhornAttention, IsFullInASequenceOfOneBlock) {
  const SinkhornLayer sorted(SinkhornAttention{.block = 4}, 1), full(AttentionKind(), 1);
  const Tensor x = random_rows(7);
  EXPECT_LT(test::distance(sorted(x, {0, 4, 7}, false), full(x, {0, 4, 7}, false)), 1e-12);
}

TEST(SinkhornAttention, DoesNotDependOnOtherSequences) {
  const SinkhornLayer layer(SinkhornAttention{.block = 2}, 1);
  const Tensor x = random_rows(12), together = layer(x, {0, 5, 6, 12}, false);
  EXPECT_TRUE(test::same_bits(layer(x.row_range(5, 6), {0, 1}, false), together.row_range(5, 6)));
  EXPECT_LT(test::distance(layer(x.row_range(6, 12), {0, 6}, false), together.row_range(6, 12)),
            1e-14);
}

// Where all blocks are alike to one another, the block beside is the mean of all.
TEST(SinkhornAttention, MixesBlocksEvenlyWhereNothingTellsThemApart) {
  const SinkhornLayer layer(SinkhornAttention{.block = 2}, 1);
  const Tensor zero = Tensor::zeros(layer.attention.q_weight.value.shape(), DType::kF64);
  backend_of(zero)(kernels::Copy{.x = zero, .y = layer.attention.q_weight.value});
  backend_of(zero)(kernels::Fill{.y = layer.attention.q_bias.value, .value = 0});
  const Tensor x = random_rows(4);
  // All scores are 0: each row's result is the mean of its block's two values and of the two means.
  const auto none = ops::Activation::kNone;
  const Tensor v = linear(x, {&layer.attention.v_weight}, {&layer.attention.v_bias}, none, nullptr);
  const Tensor heads = Tensor::zeros({4, 8}, DType::kF64);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t f = 0; f < 8; ++f) {
      const double* at = v.data<double>() + f;
      const double own = at[i / 2 * 16] + at[i / 2 * 16 + 8];
      heads.data<double>()[i * 8 + f] = (own + (at[0] + at[8] + at[16] + at[24]) / 2) / 4;
    }
  }
  EXPECT_LT(test::distance(layer(x, {0, 4}, false), layer.attention.out_proj(heads, nullptr)),
            1e-12);
}

using Matrix = std::vector<std::vector<double>>;  // rows

double dot(const std::vector<double>& x, const std::vector<double>& z) {
  return std::inner_product(x.begin(), x.end(), z.begin(), 0.0);
}

// x W^T + b.
Matrix affine(const Matrix& x, const Parameter& weight, const Parameter& bias) {
  Matrix y;
  for (const auto& row : x) {
    y.emplace_back();
    for (int64_t o = 0; o < weight.shape.rows(); ++o) {
      y.back().push_back(dot(row, test::values(weight.value.row_range(o, o + 1))) +
                         bias.value.data<double>()[o]);
    }
  }
  return y;
}

Matrix columns(const Matrix& x, size_t begin, size_t end) {
  Matrix y;
  for (const auto& row : x) y.emplace_back(row.begin() + begin, row.begin() + end);
  return y;
}

// One head in one sequence as sinkhorn.h defines it, in plain loops.
struct SlowHead {
  Matrix q, k, v;
  size_t block;

  static double score(const std::vector<double>& query, const std::vector<double>& key) {
    return dot(query, key) / std::sqrt(static_cast<double>(key.size()));
  }

  std::vector<double> mean(const Matrix& x, size_t of_block) const {
    const size_t begin = of_block * block, end = std::min(begin + block, x.size());
    std::vector<double> out(x[0].size());
    for (size_t n = begin; n < end; ++n) {
      for (size_t f = 0; f < out.size(); ++f) out[f] += x[n][f] / static_cast<double>(end - begin);
    }
    return out;
  }

  // S [m, m]
  Matrix sorting(int64_t steps) const {
    const size_t blocks = (q.size() + block - 1) / block;
    Matrix s(blocks, std::vector<double>(blocks));
    for (size_t i = 0; i < blocks; ++i) {
      for (size_t j = 0; j < blocks; ++j) s[i][j] = std::exp(score(mean(q, i), mean(k, j)));
    }
    for (int64_t step = 0; step < steps; ++step) {
      for (auto& row : s) {
        const double sum = std::accumulate(row.begin(), row.end(), 0.0);
        for (double& x : row) x /= sum;
      }
      for (size_t j = 0; j < blocks; ++j) {
        double sum = 0;
        for (const auto& row : s) sum += row[j];
        for (auto& row : s) row[j] /= sum;
      }
    }
    return s;
  }

  // Row `at` of the mixture of blocks; rows that the last block lacks are zeros.
  std::vector<double> mixed(const Matrix& x, const std::vector<double>& shares,
                            size_t offset) const {
    std::vector<double> row(x[0].size());
    for (size_t j = 0; j < shares.size(); ++j) {
      if (j * block + offset >= x.size()) continue;
      for (size_t f = 0; f < row.size(); ++f) row[f] += shares[j] * x[j * block + offset][f];
    }
    return row;
  }

  // [n, Kv]
  Matrix out(const Matrix& s) const {
    Matrix y;
    for (size_t n = 0; n < q.size(); ++n) {
      double total = 0;
      std::vector<double> sum(v[0].size());
      const auto see = [&](const std::vector<double>& key, const std::vector<double>& value) {
        const double weight = std::exp(score(q[n], key));
        total += weight;
        for (size_t f = 0; f < sum.size(); ++f) sum[f] += weight * value[f];
      };
      const size_t own = n / block;
      for (size_t at = 0; at < block; ++at) {
        if (own * block + at < k.size()) see(k[own * block + at], v[own * block + at]);
        see(mixed(k, s[own], at), mixed(v, s[own], at));
      }
      for (double& x : sum) x /= total;
      y.push_back(sum);
    }
    return y;
  }
};

// The largest |s_ij - s_ji|; 0 where s is even, too.
double asymmetry(const Matrix& s) {
  double most = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    for (size_t j = 0; j < i; ++j) most = std::max(most, std::abs(s[i][j] - s[j][i]));
  }
  return most;
}

// Blocks of 3, 3, 3 and 1 rows behind a sequence of 2. Two steps leave the sums of
// rows off 1, so that it shows that columns come last.
TEST(SinkhornAttention, IsWhatItsDefinitionSaysInPlainLoops) {
  const SinkhornLayer layer(SinkhornAttention{.block = 3, .steps = 2}, 1.5);
  const MultiHeadAttention& of = layer.attention;
  const Tensor x = random_rows(12), got = layer(x, {0, 2, 12}, false);
  Matrix own;
  for (int64_t n = 2; n < 12; ++n) own.push_back(test::values(x.row_range(n, n + 1)));
  const Matrix q = affine(own, of.q_weight, of.q_bias), k = affine(own, of.k_weight, of.k_bias),
               v = affine(own, of.v_weight, of.v_bias);
  Matrix heads(own.size());
  for (size_t h = 0; h < 2; ++h) {
    const SlowHead head{columns(q, 3 * h, 3 * h + 3), columns(k, 3 * h, 3 * h + 3),
                        columns(v, 4 * h, 4 * h + 4), 3};
    const Matrix s = head.sorting(2), out = head.out(s);
    EXPECT_GT(asymmetry(s), 0.1) << "head " << h;
    for (size_t n = 0; n < own.size(); ++n) {
      heads[n].insert(heads[n].end(), out[n].begin(), out[n].end());
    }
  }
  const Matrix expected = affine(heads, of.out_proj.weight, of.out_proj.bias);
  for (int64_t n = 0; n < 10; ++n) {
    EXPECT_LT(test::distance(got.row_range(2 + n, 3 + n),
                             Tensor::from(expected[static_cast<size_t>(n)], {1, 6})),
              1e-12)
        << "row " << n;
  }
}

TEST(SinkhornAttention, RefusesCausalRows) {
  const SinkhornLayer layer(SinkhornAttention{.block = 2}, 1);
  EXPECT_THAT(
      [&] {
        layer(random_rows(3), {0, 3}, true);
      },
      ThrowsMessage<ShapeError>(HasSubstr("sinkhorn: sorts by means of whole blocks")));
}

}  // namespace
}  // namespace weft::nn
