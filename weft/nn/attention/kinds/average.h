// Average attention (Zhang, Xiong and Su 2018, arXiv 1805.00631).
#ifndef WEFT_NN_ATTENTION_KINDS_AVERAGE_H_
#define WEFT_NN_ATTENTION_KINDS_AVERAGE_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/linear.h"

namespace weft::nn {

// Equal weights for the n rows that a row sees, which in a decoder are those up to itself:
//   g_i = W_2 relu(1/n sum_j (W_1 x_j + b_1)) + b_2,   (a, f) = sigmoid(W [x_i; g_i] + b),
//   y_i = a * x_i + f * g_i,
// where W_1 and W_2 are the projections of values and outputs. The state of a decoding step is one
// sum of values.
struct AverageAttention {
  static constexpr bool kHasQueries = false, kHasKeys = false, kKeepsState = true;
  static int64_t dropout_streams(int64_t) { return 0; }

  Linear gate;  // [2D, 2D]

  explicit AverageAttention(const AttentionDims& dims);
  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  Tensor output(const Tensor& x, const Tensor& g, const Context& context) const;      // [N, D]
  template <class V>
  void fields(V& v) {
    v("gate", gate);
  }
};

struct AverageAttentionOptions {
  static constexpr std::string_view kName = "average";
  static constexpr std::string_view kHelp =
      "all, with equal weights, and a gate between their mean and the row (Zhang et al. 2018, "
      "arXiv 1805.00631)";
  static constexpr AttentionLimits kLimits = {
      .activation = "forms no scores to make weights of",
      .dropout = "has no weights to drop",
      .key_heads = "has no keys; expected 0",
      .qk_norm = "has no queries and keys",
      .score_bias = "forms no scores to add to; expected none, index, sinusoidal or learned",
      .rotary = "has no queries and keys to rotate; expected none, index, sinusoidal or learned"};

  AverageAttention make(const AttentionDims& dims) const { return AverageAttention(dims); }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_AVERAGE_H_
