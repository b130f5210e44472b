// Attention of linear cost as a layer, against its definition in docs/attention.md.
#include "weft/nn/attention/kinds/linear_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/gradients.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/nn/attention/trace.h"

namespace weft::nn {
namespace {

struct LinearLayer {
  MultiHeadAttention attention;

  // A scale of 0 is the default, 1 / sqrt(K).
  explicit LinearLayer(bool is_unnormalised, double scale = 0) {
    AttentionConfig o{
        .features = kFeatures, .heads = kHeads, .key_size = kSize, .value_size = kValue};
    o.scale = scale;
    o.kind = LinearAttention{is_unnormalised};
    RngStreams dropouts;
    attention = MultiHeadAttention(o, dropouts);
    const Tensor flat = nn::bind(parameters_of(attention), DType::kF64);
    RandomStream random(4, 2);
    for (double& x : flat.span<double>()) x = random.normal();
  }
  Tensor operator()(const Tensor& x, bool causal, AttentionTrace* trace = nullptr) const {
    Context context;
    context.observer = trace;
    return attention.forward(x, {ops::make_layout({kOffsets}), {}, causal}, context);
  }
};

// What stands before the products of queries and keys in the two kinds.
struct Definition {
  bool is_unnormalised;
  double scale;  // of unnormalised products

  static double feature(double x) { return x > 0 ? x + 1 : std::exp(x); }  // elu(x) + 1

  // The weights of one head's query on the n keys that it sees, of which k is the first.
  std::vector<double> weights(const double* q, const double* k, int64_t n) const {
    std::vector<double> out;
    for (int64_t j = 0; j < n; ++j) {
      const double* key = k + j * kHeads * kSize;
      double sum = 0;
      for (int64_t f = 0; f < kSize; ++f) {
        sum += is_unnormalised ? q[f] * key[f] : feature(q[f]) * feature(key[f]);
      }
      out.push_back(is_unnormalised ? sum * scale / static_cast<double>(n) : sum);
    }
    if (is_unnormalised) return out;
    const double total = std::accumulate(out.begin(), out.end(), 0.0);
    for (double& weight : out) weight /= total;
    return out;
  }
};

// What the definition is given of a layer's rows, and the weights by it.
struct Projected {
  Definition definition;
  Tensor q, k, v;  // [N, H*K], [N, H*K], [N, H*Kv]

  Projected(const LinearLayer& layer, const Tensor& x, const Definition& by) : definition(by) {
    const MultiHeadAttention& a = layer.attention;
    const auto none = ops::Activation::kNone;
    q = linear(x, {&a.q_weight}, {&a.q_bias}, none, nullptr);
    k = linear(x, {&a.k_weight}, {&a.k_bias}, none, nullptr);
    v = linear(x, {&a.v_weight}, {&a.v_bias}, none, nullptr);
  }
  // Of row i in head h on the keys from `begin` to before `end`.
  std::vector<double> weights(int64_t i, int64_t h, int64_t begin, int64_t end) const {
    const int64_t width = kHeads * kSize;
    return definition.weights(q.data<double>() + i * width + h * kSize,
                              k.data<double>() + begin * width + h * kSize, end - begin);
  }
};

// The heads' outputs [N, H*Kv].
Tensor by_definition(const Projected& rows, bool causal) {
  const Tensor out = Tensor::zeros({kRows, kHeads * kValue}, DType::kF64);
  for (size_t b = 0; b + 1 < kOffsets.size(); ++b) {
    const int64_t begin = kOffsets[b], end = kOffsets[b + 1];
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const auto weights = rows.weights(i, h, begin, causal ? i + 1 : end);
        double* y = out.data<double>() + (i * kHeads + h) * kValue;
        for (size_t j = 0; j < weights.size(); ++j) {
          const int64_t key = begin + static_cast<int64_t>(j);
          const double* value = rows.v.data<double>() + (key * kHeads + h) * kValue;
          for (int64_t f = 0; f < kValue; ++f) y[f] += weights[j] * value[f];
        }
      }
    }
  }
  return out;
}

TEST(LinearAttention, DividesProductsOfFeaturesByTheirSum) {
  const Tensor x = random_rows(kRows);
  for (const double scale : {0.0, 0.3}) {  // of scores, which this kind does not form
    const LinearLayer layer(false, scale);
    const Projected rows(layer, x, {false, 1});
    for (const bool causal : {false, true}) {
      const Tensor expected = layer.attention.out_proj(by_definition(rows, causal), nullptr);
      EXPECT_LT(test::distance(layer(x, causal), expected), 1e-11) << scale << " " << causal;
    }
  }
}

TEST(LinearAttention, ThatIsBareDividesScaledProductsByTheNumberOfKeysSeen) {
  const Tensor x = random_rows(kRows);
  for (const double scale : {0.0, 0.3}) {
    const LinearLayer layer(true, scale);
    const double by = scale == 0 ? 1 / std::sqrt(static_cast<double>(kSize)) : scale;
    const Projected rows(layer, x, {true, by});
    for (const bool causal : {false, true}) {
      const Tensor expected = layer.attention.out_proj(by_definition(rows, causal), nullptr);
      EXPECT_LT(test::distance(layer(x, causal), expected), 1e-11) << scale << " " << causal;
    }
  }
}

// The weights [T, T] of one sequence and head.
void expect_weights(const Tensor& got, const Projected& rows, int64_t begin, int64_t head,
                    bool causal) {
  const int64_t count = got.rows();
  for (int64_t i = 0; i < count; ++i) {
    std::vector<double> expected =
        rows.weights(begin + i, head, begin, begin + (causal ? i + 1 : count));
    expected.resize(static_cast<size_t>(count));
    const Tensor row = got.row_range(i, i + 1);
    EXPECT_LT(test::distance(row, Tensor::from(expected, {1, count})), 1e-11)
        << "row " << begin + i << ", head " << head;
  }
}

TEST(LinearAttention, TracesTheWeightsThatItNeverForms) {
  const Tensor x = random_rows(kRows);
  for (const bool is_unnormalised : {false, true}) {
    const LinearLayer layer(is_unnormalised);
    const Projected rows(layer, x, {is_unnormalised, 1 / std::sqrt(static_cast<double>(kSize))});
    for (const bool causal : {false, true}) {
      AttentionTrace trace;
      const Tensor traced = layer(x, causal, &trace);
      EXPECT_TRUE(test::same_bits(traced, layer(x, causal)));
      ASSERT_EQ(trace.examples({}), std::ssize(kOffsets) - 1);
      for (size_t b = 0; b + 1 < kOffsets.size(); ++b) {
        for (int64_t h = 0; h < kHeads; ++h) {
          const Tensor& weights = trace.probabilities({}, static_cast<int64_t>(b))[h];
          ASSERT_EQ(weights.rows(), kOffsets[b + 1] - kOffsets[b]);
          expect_weights(weights, rows, kOffsets[b], h, causal);
        }
      }
    }
  }
}

// Of queries, keys and values; elu(x) + 1 has no kink.
TEST(LinearAttention, HasTheGradientThatDifferencesShow) {
  AttentionConfig options{
      .features = kFeatures, .heads = kHeads, .key_size = kSize, .value_size = kValue};
  options.scale = 0.7;
  const ops::LayoutPtr rows = ops::make_layout({kOffsets});
  const AttentionPosition nowhere{};
  const std::vector<Tensor> qkv = test::random_inputs(
      {{kRows, kHeads * kSize}, {kRows, kHeads * kSize}, {kRows, kHeads * kValue}});
  for (const bool is_unnormalised : {false, true}) {
    for (const bool causal : {false, true}) {
      const LinearAttention kind{is_unnormalised};
      const auto check = autograd::check_gradients(
          [&](const std::vector<Tensor>& in, autograd::Tape* tape) {
            Context context{.tape = tape};
            const SelfLayout of{rows, nowhere, causal};
            return kind.forward({in[0], in[0], in[1], in[2], of, options}, context);
          },
          qkv, 1e-7);
      EXPECT_TRUE(check.ok) << is_unnormalised << " " << causal << ": " << check.message;
    }
  }
}

}  // namespace
}  // namespace weft::nn
