// Kinds of self-attention that have parameters of their own, against what they say they are.
#include "weft/nn/attention/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/nn/attention/trace.h"

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

AttentionConfig small(AttentionKind kind) {
  AttentionConfig o{.features = 6, .heads = 2, .key_size = 3, .value_size = 4};
  o.kind = std::move(kind);
  return o;
}

// With random parameters in double.
struct Layer {
  RngStreams dropouts;
  MultiHeadAttention attention;
  std::vector<NamedParameter> named;

  explicit Layer(const AttentionConfig& o)
      : attention(o, dropouts), named(parameters_of(attention)) {
    const Tensor flat = nn::bind(named, DType::kF64);
    RandomStream random(4, 2);
    for (double& x : flat.span<double>()) x = random.normal();
  }
  // Parameters of the same names become those of another.
  void take_from(const Layer& other) {
    for (const auto& [name, p] : named) {
      for (const auto& [its_name, its] : other.named) {
        if (its_name == name) backend_of(its->value)(kernels::Copy{.x = its->value, .y = p->value});
      }
    }
  }
  Tensor operator()(const Tensor& x, const std::vector<int32_t>& offsets, bool causal,
                    AttentionTrace* trace = nullptr) const {
    Context context;
    context.observer = trace;
    return attention.forward(x, {ops::make_layout({offsets}), {}, causal}, context);
  }
};

TEST(Linformer, HasNoCache) {
  const Layer layer(small(LinformerAttention(5, 5)));
  KvCache cache(std::vector<kernels::AttentionPattern>(1), DType::kF64);
  const std::vector<int32_t> slot{0};
  cache.add_sequences(slot, {{0, 0}});
  cache.begin_prompt(slot, {{0, 3}});
  const SelfLayout rows{cache.rows(), {}, true};
  const auto refusal = ThrowsMessage<ShapeError>(HasSubstr("its kind has no cache"));
  EXPECT_THAT([&] { layer.attention.prefill(random_rows(3), rows, cache, {}); }, refusal);
  EXPECT_THAT([&] { layer.attention.step(random_rows(3), rows, cache, {}); }, refusal);
}

TEST(Linformer, IsFullAttentionWhereEachMixtureIsOneRow) {
  Layer mixed(small(LinformerAttention(5, 5))), full(small({}));
  mixed.take_from(full);
  auto& kind = std::get<LinformerAttention>(mixed.attention.config.kind.module());
  for (const Parameter* mix : {&kind.key_mix, &kind.value_mix}) {
    backend_of(mix->value)(kernels::Fill{.y = mix->value, .value = 0});
    // Row i is mixture 4 - i: softmax knows no order.
    for (int64_t i = 0; i < 5; ++i) mix->value.data<double>()[i * 5 + 4 - i] = 1;
  }
  const Tensor x = random_rows(10);
  EXPECT_LT(test::distance(mixed(x, {0, 5, 10}, false), full(x, {0, 5, 10}, false)), 1e-12);
}

// sum_n mix[n, m] x[begin + n, column] over the rows from `begin` to before `end`.
double mixture(const Tensor& mix, int64_t m, const Tensor& x,
               const std::pair<int64_t, int64_t>& rows, int64_t column) {
  double sum = 0;
  for (int64_t n = rows.first; n < rows.second; ++n) {
    sum += mix.data<double>()[(n - rows.first) * mix.cols() + m] *
           x.data<double>()[n * x.cols() + column];
  }
  return sum;
}

// softmax(q (E^T k)^T / sqrt(K)) (F^T v), sequence by sequence and head by head.
Tensor by_mixtures(const MultiHeadAttention& a, const Tensor& x,
                   const std::vector<int32_t>& offsets, const std::pair<Tensor, Tensor>& mixes) {
  const auto none = ops::Activation::kNone;
  const Tensor q = linear(x, {&a.q_weight}, {&a.q_bias}, none, nullptr);
  const Tensor k = linear(x, {&a.k_weight}, {&a.k_bias}, none, nullptr);
  const Tensor v = linear(x, {&a.v_weight}, {&a.v_bias}, none, nullptr);
  const Tensor heads = Tensor::zeros({x.rows(), 8}, DType::kF64);
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::pair<int64_t, int64_t> of{offsets[b], offsets[b + 1]};
    for (int64_t i = of.first; i < of.second; ++i) {
      for (int64_t h = 0; h < 2; ++h) {
        std::vector<double> weights;
        for (int64_t m = 0; m < mixes.first.cols(); ++m) {
          double score = 0;
          for (int64_t f = 3 * h; f < 3 * h + 3; ++f) {
            score += q.data<double>()[i * 6 + f] * mixture(mixes.first, m, k, of, f);
          }
          weights.push_back(std::exp(score / std::sqrt(3)));
        }
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (int64_t f = 4 * h; f < 4 * h + 4; ++f) {
          double& y = heads.data<double>()[i * 8 + f];
          for (int64_t m = 0; m < mixes.second.cols(); ++m) {
            y += weights[static_cast<size_t>(m)] / sum * mixture(mixes.second, m, v, of, f);
          }
        }
      }
    }
  }
  return a.out_proj(heads, nullptr);
}

TEST(Linformer, MixesKeysByOneTableAndValuesByAnother) {
  const Layer layer(small(LinformerAttention(3, 7)));
  const auto& kind = std::get<LinformerAttention>(layer.attention.config.kind.module());
  const Tensor e = kind.key_mix.value, f = kind.value_mix.value;
  // Smaller, for weights that are not all or nothing.
  for (double& share : e.span<double>()) share *= 0.3;
  const Tensor x = random_rows(10);
  const std::vector<int32_t> offsets = {0, 4, 4, 9, 10};
  const Tensor got = layer(x, offsets, false);
  EXPECT_LT(test::distance(got, by_mixtures(layer.attention, x, offsets, {e, f})), 1e-12);
  // Each of them shows.
  EXPECT_GT(test::distance(got, by_mixtures(layer.attention, x, offsets, {e, e})), 1e-2);
  EXPECT_GT(test::distance(got, by_mixtures(layer.attention, x, offsets, {f, f})), 1e-2);
}

TEST(Linformer, TakesAsManyRowsOfItsMixturesAsASequenceHas) {
  Layer layer(small(LinformerAttention(3, 7)));
  const Tensor x = random_rows(9), together = layer(x, {0, 7, 9}, false);
  EXPECT_LT(test::distance(layer(x.row_range(7, 9), {0, 2}, false), together.row_range(7, 9)),
            1e-14);
  // The rows behind do not count for it.
  const Tensor mix =
      std::get<LinformerAttention>(layer.attention.config.kind.module()).key_mix.value;
  backend_of(mix)(kernels::Fill{.y = mix.row_range(2, 7), .value = 100});
  const Tensor changed = layer(x, {0, 7, 9}, false);
  EXPECT_LT(test::distance(changed.row_range(7, 9), together.row_range(7, 9)), 1e-14);
  EXPECT_GT(test::distance(changed, together), 1e-3);
}

TEST(Linformer, RefusesLongerSequencesAndCausalRows) {
  const Layer layer(small(LinformerAttention(3, 4)));
  EXPECT_THAT(
      [&] {
        layer(random_rows(5), {0, 5}, false);
      },
      ThrowsMessage<ShapeError>(HasSubstr("linformer: a sequence has more than 4 tokens")));
  EXPECT_THAT(
      [&] {
        layer(random_rows(3), {0, 3}, true);
      },
      ThrowsMessage<ShapeError>(HasSubstr("expected rows that are not causal")));
}

// softmax of the scores of query row i and head h with places 0 to `last`.
std::vector<double> weights(const double* q, const Tensor& places, int64_t head, int64_t last) {
  std::vector<double> out;
  for (int64_t j = 0; j <= last; ++j) {
    const double* t = places.data<double>() + j * places.cols() + head * 3;
    out.push_back(std::exp((q[0] * t[0] + q[1] * t[1] + q[2] * t[2]) / std::sqrt(3)));
  }
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& w : out) w /= sum;
  return out;
}

// The trace of sequences of 2 and 4 causal rows against queries [6, H*K].
void expect_weights(const AttentionTrace& trace, const Tensor& queries, const Tensor& places) {
  ASSERT_EQ(trace.examples({}), 2);
  const int32_t begins[] = {0, 2}, lengths[] = {2, 4};
  for (int b = 0; b < 2; ++b) {
    for (int h = 0; h < 2; ++h) {
      for (int32_t i = 0; i < lengths[b]; ++i) {
        const double* q = queries.data<double>() + (begins[b] + i) * 6 + h * 3;
        const std::vector<double> expected = weights(q, places, h, i);
        for (int32_t j = 0; j <= i; ++j) {
          EXPECT_NEAR(trace.probabilities({}, b)[h].data<double>()[i * lengths[b] + j], expected[j],
                      1e-12);
        }
      }
    }
  }
}

TEST(RandomSynthesizer, WeighsPlacesWhateverStandsThere) {
  const Layer layer(
      small(RandomSynthesizer({.heads = 2, .key_heads = 2, .key_size = 3, .max_positions = 5})));
  const auto& kind = std::get<RandomSynthesizer>(layer.attention.config.kind.module());
  AttentionTrace trace;
  layer(random_rows(6), {0, 2, 6}, true, &trace);
  const Tensor table = kind.position_queries.value;  // [max, H*K]
  const Tensor queries = Tensor::empty({6, 6}, DType::kF64);
  backend_of(table)(kernels::Copy{.x = table.row_range(0, 2), .y = queries.row_range(0, 2)});
  backend_of(table)(kernels::Copy{.x = table.row_range(0, 4), .y = queries.row_range(2, 6)});
  expect_weights(trace, queries, kind.position_keys.value);
}

TEST(DenseSynthesizer, WeighsPlacesByWhatAsks) {
  const Layer layer(
      small(DenseSynthesizer({.heads = 2, .key_heads = 2, .key_size = 3, .max_positions = 5})));
  const auto& kind = std::get<DenseSynthesizer>(layer.attention.config.kind.module());
  const Tensor x = random_rows(6);
  AttentionTrace trace;
  layer(x, {0, 2, 6}, true, &trace);
  const Tensor hidden = linear(x, {&layer.attention.q_weight}, {&layer.attention.q_bias},
                               ops::Activation::kRelu, nullptr);
  expect_weights(trace, kind.second(hidden, nullptr), kind.position_keys.value);
}

TEST(Synthesizers, RefuseLongerSequences) {
  const AttentionDims dims{.heads = 2, .key_heads = 2, .key_size = 3, .max_positions = 3};
  const Layer dense(small(DenseSynthesizer(dims))), random(small(RandomSynthesizer(dims)));
  for (const Layer* layer : {&dense, &random}) {
    EXPECT_THAT(
        [&] {
          (*layer)(random_rows(4), {0, 4}, true);
        },
        ThrowsMessage<ShapeError>(HasSubstr("synthesizer: a sequence has more than 3 tokens")));
  }
}

TEST(Synthesizers, HaveNoKeysOfTheirRows) {
  const AttentionDims dims{.heads = 2, .key_heads = 2, .key_size = 3, .max_positions = 3};
  const Layer dense(small(DenseSynthesizer(dims))), random(small(RandomSynthesizer(dims)));
  EXPECT_TRUE(dense.attention.q_weight.is_present());
  EXPECT_FALSE(dense.attention.k_weight.is_present());
  EXPECT_FALSE(random.attention.q_weight.is_present());
  EXPECT_FALSE(random.attention.k_bias.is_present());
}

}  // namespace
}  // namespace weft::nn
