// Self-attention with rotary positions of rows that do not stand side by side.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/nn/attention/multi_head.h"

namespace weft::nn {
namespace {

using test::distance;

constexpr int64_t kKeySize = 4, kHalf = kKeySize / 2;
constexpr double kBase = 100;

// Each head of x [N, heads*K] rotated by hand.
Tensor rotated(const Tensor& x, const std::vector<int32_t>& position) {
  const Tensor y = x.clone();
  for (int64_t n = 0; n < x.rows(); ++n) {
    for (int64_t first = 0; first < x.cols(); first += kKeySize) {
      double* at = y.data<double>() + n * x.cols() + first;
      for (int64_t f = 0; f < kHalf; ++f) {
        const double rate = std::pow(kBase, -static_cast<double>(f) / kHalf);
        const double angle = position[static_cast<size_t>(n)] * rate;
        const double a = at[f], b = at[f + kHalf];
        at[f] = a * std::cos(angle) - b * std::sin(angle);
        at[f + kHalf] = b * std::cos(angle) + a * std::sin(angle);
      }
    }
  }
  return y;
}

// Two sequences with gaps between their rows, the second one's first too.
TEST(SelfRotary, IsPlainAttentionOverQueriesAndKeysRotatedByHand) {
  RngStreams dropouts;
  MultiHeadAttention attention(
      {.features = 6, .heads = 2, .key_heads = 1, .key_size = kKeySize, .value_size = 3}, dropouts);
  const Tensor flat = nn::bind(parameters_of(attention), DType::kF64);
  RandomStream random(4, 2);
  for (double& x : flat.span<double>()) x = random.normal();
  const auto side_by_side = ops::make_layout({{0, 3, 5}});
  auto apart = std::make_shared<ops::Layout>(*side_by_side);
  apart->position = {0, 5, 17, 2, 9};
  const Tensor x = test::random_tensor({5, 6}, 1);
  const auto projected = [&](const Parameter& weight, const Parameter& bias) {
    return linear(x, {&weight}, {&bias}, ops::Activation::kNone, nullptr);
  };
  const Tensor q = projected(attention.q_weight, attention.q_bias);  // [N, H*K]
  const Tensor k = projected(attention.k_weight, attention.k_bias);  // [N, G*K]
  const Tensor v = projected(attention.v_weight, attention.v_bias);  // [N, G*Kv]
  for (const bool causal : {false, true}) {
    Context context;
    const AttentionPosition position =
        RotaryPosition(1, ops::rotary_frequencies(kBase, kHalf)).in_attention(apart, context);
    const Tensor got = attention.forward(x, {apart, position, causal}, context);
    ops::AttentionParams params =
        full_params(attention.config, side_by_side, side_by_side, context);
    params.causal = causal;
    const auto expected = [&](const std::vector<int32_t>& positions) {
      return attention.out_proj(
          ops::attention(rotated(q, positions), rotated(k, positions), v, params, nullptr),
          nullptr);
    };
    EXPECT_LT(distance(got, expected(apart->position)), 1e-12);
    EXPECT_GT(distance(got, expected(side_by_side->position)), 1e-3);
  }
}

}  // namespace
}  // namespace weft::nn
