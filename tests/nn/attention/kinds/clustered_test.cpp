#include "weft/nn/attention/kinds/clustered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/gemm.h"
#include "weft/nn/attention/kinds.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/nn/attention/trace.h"
#include "weft/nn/statistics.h"

namespace weft::nn {
namespace {

struct ClusteredLayer {
  MultiHeadAttention attention;
  std::vector<NamedParameter> named;
  Tensor flat;

  explicit ClusteredLayer(Clustering clustering) {
    clustering.heads = kHeads;
    clustering.key_size = kSize;
    AttentionConfig o{
        .features = kFeatures, .heads = kHeads, .key_size = kSize, .value_size = kValue};
    o.kind = ClusteredAttention(clustering);
    RngStreams dropouts;
    attention = MultiHeadAttention(o, dropouts);
    named = parameters_of(attention);
    flat = nn::bind(named, DType::kF64);
    RandomStream random(4, 2);
    for (double& x : flat.span<double>()) x = random.normal();
  }
  const ClusteredAttention& kind() const {
    return std::get<ClusteredAttention>(attention.config.kind.module());
  }
};

Tensor heads_normed(const Tensor& q) {
  const Tensor out = q.clone();
  for (int64_t i = 0; i < q.size(); i += kSize) {
    double* x = out.data<double>() + i;
    const double length = std::sqrt(std::inner_product(x, x + kSize, x, 0.0) / kSize + 1e-6);
    for (int64_t f = 0; f < kSize; ++f) x[f] /= length;
  }
  return out;
}

// One row and head of one round, straight from the definition.
struct Reference {
  Tensor q, k, v;
  std::vector<int32_t> clusters;

  void add(int64_t i, int64_t h, int64_t begin, int64_t end, double* out) const {
    std::vector<int64_t> seen;
    for (int64_t j = begin; j < end; ++j) {
      if (j != i && clusters[j * kHeads + h] == clusters[i * kHeads + h]) seen.push_back(j);
    }
    if (seen.empty()) seen.push_back(i);
    std::vector<double> weights;
    for (const int64_t j : seen) {
      const double* x = q.data<double>() + i * kHeads * kSize + h * kSize;
      const double* y = k.data<double>() + j * kHeads * kSize + h * kSize;
      weights.push_back(std::exp(std::inner_product(x, x + kSize, y, 0.0) / std::sqrt(kSize)));
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (size_t s = 0; s < seen.size(); ++s) {
      const double* value = v.data<double>() + seen[s] * kHeads * kValue + h * kValue;
      for (int64_t f = 0; f < kValue; ++f) out[f] += weights[s] / sum * value[f];
    }
  }
};

Tensor clustered_by_definition(const ClusteredLayer& layer, const Tensor& x,
                               const std::vector<int32_t>& offsets, bool causal) {
  const MultiHeadAttention& a = layer.attention;
  const auto none = ops::Activation::kNone;
  Reference reference{.q = linear(x, {&a.q_weight}, {&a.q_bias}, none, nullptr),
                      .k = {},
                      .v = linear(x, {&a.v_weight}, {&a.v_bias}, none, nullptr),
                      .clusters = {}};
  reference.k = heads_normed(reference.q);
  const Tensor out = Tensor::zeros({x.rows(), kHeads * kValue}, DType::kF64);
  const int64_t rounds = layer.kind().clustering.rounds;
  for (int64_t round = 0; round < rounds; ++round) {
    reference.clusters = layer.kind().clusters_of(reference.k, round);
    for (size_t b = 0; b + 1 < offsets.size(); ++b) {
      for (int64_t i = offsets[b]; i < offsets[b + 1]; ++i) {
        for (int64_t h = 0; h < kHeads; ++h) {
          reference.add(i, h, offsets[b], causal ? i + 1 : offsets[b + 1],
                        out.data<double>() + i * kHeads * kValue + h * kValue);
        }
      }
    }
  }
  for (double& y : out.span<double>()) y /= static_cast<double>(rounds);
  return a.out_proj(out, nullptr);
}

TEST(ClusteredAttention, SeesTheOtherRowsOfItsCluster) {
  const Clustering all[] = {{.clusters = 1},
                            {.clusters = 3},
                            {.clusters = 4, .by_hash = true},
                            {.clusters = 2, .by_hash = true, .rounds = 3}};
  const std::vector<int32_t> offsets = {0, 9, 10, 16};
  const Tensor x = random_rows(16);
  for (const Clustering& clustering : all) {
    const ClusteredLayer layer(clustering);
    for (const bool causal : {false, true}) {
      Context context;
      const Tensor got =
          layer.attention.forward(x, {ops::make_layout({offsets}), {}, causal}, context);
      EXPECT_LT(test::distance(got, clustered_by_definition(layer, x, offsets, causal)), 1e-11)
          << clustering.clusters << " " << clustering.by_hash << " " << causal;
    }
  }
}

TEST(ClusteredAttention, TracesTheWeightsOfWholeSequences) {
  const ClusteredLayer layer({.clusters = 2, .by_hash = true, .rounds = 3});
  const std::vector<int32_t> offsets = {0, 5, 6, 13};
  const Tensor x = random_rows(13);
  AttentionTrace trace;
  Context context;
  context.observer = &trace;
  const Tensor out = layer.attention.forward(x, {ops::make_layout({offsets}), {}, true}, context);
  ASSERT_EQ(trace.examples({}), 3);
  const Tensor v = linear(x, {&layer.attention.v_weight}, {&layer.attention.v_bias},
                          ops::Activation::kNone, nullptr);
  const Tensor heads = Tensor::zeros({13, kHeads * kValue}, DType::kF64);
  for (size_t b = 0; b < 3; ++b) {
    for (int64_t h = 0; h < kHeads; ++h) {
      const Tensor& weights = trace.probabilities({}, static_cast<int64_t>(b))[h];
      const auto part = [&](const Tensor& all) {
        return all.row_range(offsets[b], offsets[b + 1]).col_range(h * kValue, (h + 1) * kValue);
      };
      backend_of(v)(kernels::Gemm{.a = weights, .b = part(v), .c = part(heads)});
    }
  }
  EXPECT_LT(test::distance(layer.attention.out_proj(heads, nullptr), out), 1e-12);
}

TEST(ClusteredAttention, HashesOppositeRowsToOppositeBuckets) {
  const ClusteredLayer layer({.clusters = 8, .by_hash = true, .rounds = 2});
  const Tensor k = test::random_tensor({20, kHeads * kSize}, 5), opposite = k.clone();
  for (double& x : opposite.span<double>()) x = -x;
  for (int64_t round = 0; round < 2; ++round) {
    const auto buckets = layer.kind().clusters_of(k, round);
    const auto others = layer.kind().clusters_of(opposite, round);
    for (size_t i = 0; i < buckets.size(); ++i) EXPECT_EQ(others[i], (buckets[i] + 4) % 8);
  }
  EXPECT_NE(layer.kind().clusters_of(k, 0), layer.kind().clusters_of(k, 1));
}

TEST(ClusteredAttention, MovesCentroidsTowardsTheirRows) {
  const ClusteredLayer layer({.clusters = 3});
  const Tensor x = random_rows(30);
  std::vector<RunningStatistics> seen;
  Context context{.training = true, .statistics = &seen};
  const auto rows = ops::make_layout({{0, 30}});
  layer.attention.forward(x, {rows, {}, false}, context);
  ASSERT_EQ(seen.size(), 1u);
  ASSERT_EQ(seen[0].buffers[0], &layer.kind().vectors);

  const Tensor k = heads_normed(linear(x, {&layer.attention.q_weight}, {&layer.attention.q_bias},
                                       ops::Activation::kNone, nullptr));
  const auto clusters = layer.kind().clusters_of(k, 0);
  std::vector<double> expected(kHeads * 3 * kSize);
  const double* before = layer.kind().vectors.value.data<double>();
  for (int64_t m = 0; m < kHeads * 3; ++m) {
    std::vector<double> sum(kSize);
    int64_t count = 0;
    for (int64_t i = 0; i < 30; ++i) {
      const int64_t h = m / 3;
      if (clusters[i * kHeads + h] != m % 3) continue;
      ++count;
      for (int64_t f = 0; f < kSize; ++f) {
        sum[f] += k.data<double>()[(i * kHeads + h) * kSize + f];
      }
    }
    double length = 0;
    for (int64_t f = 0; f < kSize; ++f) {
      double& to = expected[m * kSize + f];
      to = before[m * kSize + f];
      if (count > 0)
        to = 0.99 * to + 0.01 * sum[f] / (std::sqrt(kSize) * static_cast<double>(count));
      length += to * to;
    }
    for (int64_t f = 0; f < kSize && count > 0; ++f) expected[m * kSize + f] /= std::sqrt(length);
  }
  const std::vector<Tensor> running = {layer.kind().vectors.value.clone()};
  seen[0].update(running);
  EXPECT_LT(test::distance(running[0], Tensor::from(expected, running[0].shape())), 1e-12);
}

TEST(ClusteredAttention, FindsTheCentroidOfTheNearestDirectionWhateverItsLength) {
  const ClusteredLayer layer({.clusters = 3});
  const Tensor k = test::random_tensor({40, kHeads * kSize}, 5);
  const auto before = layer.kind().clusters_of(k, 0);
  for (int64_t f = 0; f < kSize; ++f) layer.kind().vectors.value.data<double>()[f] *= 100;
  EXPECT_EQ(layer.kind().clusters_of(k, 0), before);
  // Row 0 of head 0 is nearest to what points the same way.
  for (int64_t f = 0; f < kSize; ++f) {
    layer.kind().vectors.value.data<double>()[kSize + f] = 0.1 * k.data<double>()[f];
  }
  EXPECT_EQ(layer.kind().clusters_of(k, 0)[0], 1);
}

TEST(ClusteredAttention, TellsNothingOfHashesAndInInference) {
  for (const bool by_hash : {false, true}) {
    const ClusteredLayer layer({.clusters = 2, .by_hash = by_hash});
    std::vector<RunningStatistics> seen;
    Context context{.training = by_hash, .statistics = &seen};
    const auto rows = ops::make_layout({{0, 4}});
    layer.attention.forward(random_rows(4), {rows, {}, true}, context);
    EXPECT_TRUE(seen.empty());
    EXPECT_TRUE(layer.kind().vectors.is_buffer);
  }
}

}  // namespace
}  // namespace weft::nn
