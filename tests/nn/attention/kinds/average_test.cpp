// Average attention as a layer, against its definition in docs/attention.md.
#include "weft/nn/attention/kinds/average.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/gradients.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/nn/attention/trace.h"

namespace weft::nn {
namespace {

struct AverageLayer {
  MultiHeadAttention attention;

  AverageLayer() {
    AttentionConfig o{.features = kFeatures, .heads = kHeads, .key_size = 3, .value_size = kValue};
    o.kind = AverageAttention({.features = kFeatures, .heads = kHeads});
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

// W x + b of one row.
std::vector<double> affine_row(const Parameter& weight, const Parameter& bias,
                               const std::vector<double>& x) {
  std::vector<double> y;
  for (int64_t o = 0; o < weight.value.rows(); ++o) {
    double sum = bias.value.data<double>()[o];
    for (size_t i = 0; i < x.size(); ++i) {
      sum += weight.value.row_range(o, o + 1).data<double>()[i] * x[i];
    }
    y.push_back(sum);
  }
  return y;
}

std::vector<double> row_of(const Tensor& x, int64_t n) {
  const auto row = x.row_range(n, n + 1);
  return {row.data<double>(), row.data<double>() + row.cols()};
}

// The output of row n, which sees the rows from `begin` to before `end`.
std::vector<double> average_by_definition(const MultiHeadAttention& a, const Tensor& x, int64_t n,
                                          const std::pair<int64_t, int64_t>& seen) {
  const auto& gate = std::get<AverageAttention>(a.config.kind.module()).gate;
  const auto [begin, end] = seen;
  std::vector<double> mean(kFeatures), own = row_of(x, n);
  for (int64_t j = begin; j < end; ++j) {
    for (size_t d = 0; d < mean.size(); ++d) {
      mean[d] += row_of(x, j)[d] / static_cast<double>(end - begin);
    }
  }
  std::vector<double> hidden = affine_row(a.v_weight, a.v_bias, mean);
  for (double& h : hidden) h = std::max(h, 0.0);
  const std::vector<double> g = affine_row(a.out_proj.weight, a.out_proj.bias, hidden);
  std::vector<double> both = own;
  both.insert(both.end(), g.begin(), g.end());
  const std::vector<double> gates = affine_row(gate.weight, gate.bias, both);
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  std::vector<double> y;
  for (size_t d = 0; d < own.size(); ++d) {
    y.push_back(sigmoid(gates[d]) * own[d] + sigmoid(gates[d + kFeatures]) * g[d]);
  }
  return y;
}

TEST(AverageAttention, GatesANetworkOfTheMean) {
  const Tensor x = random_rows(kRows);
  const AverageLayer layer;
  for (const bool causal : {false, true}) {
    const Tensor got = layer(x, causal);
    for (size_t b = 0; b + 1 < kOffsets.size(); ++b) {
      const int64_t begin = kOffsets[b], end = kOffsets[b + 1];
      for (int64_t n = begin; n < end; ++n) {
        const auto expected =
            average_by_definition(layer.attention, x, n, {begin, causal ? n + 1 : end});
        EXPECT_LT(test::distance(got.row_range(n, n + 1), Tensor::from(expected, {1, kFeatures})),
                  1e-12)
            << "row " << n << " " << causal;
      }
    }
  }
}

TEST(AverageAttention, HasEqualWeightsInATrace) {
  const Tensor x = random_rows(kRows);
  const AverageLayer layer;
  for (const bool causal : {false, true}) {
    AttentionTrace trace;
    EXPECT_TRUE(test::same_bits(layer(x, causal, &trace), layer(x, causal)));
    ASSERT_EQ(trace.examples({}), std::ssize(kOffsets) - 1);
    for (size_t b = 0; b + 1 < kOffsets.size(); ++b) {
      const int64_t count = kOffsets[b + 1] - kOffsets[b];
      for (int64_t h = 0; h < kHeads; ++h) {
        const Tensor& weights = trace.probabilities({}, static_cast<int64_t>(b))[h];
        ASSERT_EQ(weights.shape(), (Shape{count, count}));
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t j = 0; j < count; ++j) {
            const double expected = !causal ? 1.0 / static_cast<double>(count)
                                    : j > i ? 0
                                            : 1.0 / static_cast<double>(i + 1);
            EXPECT_DOUBLE_EQ(row_of(weights, i)[static_cast<size_t>(j)], expected);
          }
        }
      }
    }
  }
}

TEST(AverageAttention, KeepsASumInDecoding) {
  const Tensor x = random_rows(kRows);
  const AverageLayer layer;
  constexpr int64_t kBegin = 6, kSteps = 9;
  const Tensor whole = layer(x, true);
  KvCache cache(std::vector<kernels::AttentionPattern>(1), DType::kF64);
  const std::vector<int32_t> slot{0}, one{1};
  cache.add_sequences(slot, {{0, 1}});
  for (int64_t t = 0; t < kSteps; ++t) {
    const std::vector<int32_t> parent{t == 0 ? -1 : 0};
    cache.begin_step(parent, one);
    AttentionTrace trace;
    Context context;
    context.observer = &trace;
    const Tensor row = x.row_range(kBegin + t, kBegin + t + 1);
    const Tensor y = layer.attention.step(row, {cache.rows(), {}, true}, cache, context);
    EXPECT_LT(test::distance(y, whole.row_range(kBegin + t, kBegin + t + 1)), 1e-12) << t;
    EXPECT_EQ(cache.layer(0).state.shape(), (Shape{1, kHeads * kValue + 1}));
    const Tensor& weights = trace.probabilities({}, 0)[1];
    ASSERT_EQ(weights.shape(), (Shape{1, t + 1}));
    for (const double w : row_of(weights, 0)) EXPECT_DOUBLE_EQ(w, 1.0 / static_cast<double>(t + 1));
  }
}

// Of the values and, through the gate, of x and g.
TEST(AverageAttention, HasTheGradientThatDifferencesShow) {
  AverageLayer layer;
  for (const auto& [name, parameter] : parameters_of(layer.attention)) parameter->freeze();
  const ops::LayoutPtr rows = ops::make_layout({kOffsets});
  const AttentionPosition nowhere{};
  const auto& kind = std::get<AverageAttention>(layer.attention.config.kind.module());
  for (const bool causal : {false, true}) {
    const auto values = autograd::check_gradients(
        [&](const std::vector<Tensor>& in, autograd::Tape* tape) {
          const SelfLayout of{rows, nowhere, causal};
          return kind.forward({in[0], {}, {}, in[0], of, layer.attention.config}, {.tape = tape});
        },
        {test::random_tensor({kRows, kHeads * kValue}, 3)}, 1e-7);
    EXPECT_TRUE(values.ok) << causal << ": " << values.message;
  }
  const auto gated = autograd::check_gradients(
      [&](const std::vector<Tensor>& in, autograd::Tape* tape) {
        return kind.output(in[0], in[1], {.tape = tape});
      },
      test::random_inputs({{kRows, kFeatures}, {kRows, kFeatures}}), 1e-7);
  EXPECT_TRUE(gated.ok) << gated.message;
}

}  // namespace
}  // namespace weft::nn
