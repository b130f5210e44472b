// Attention of linear cost.
#ifndef WEFT_NN_ATTENTION_KINDS_LINEAR_ATTENTION_H_
#define WEFT_NN_ATTENTION_KINDS_LINEAR_ATTENTION_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/linear_steps.h"
#include "weft/nn/attention/self_input.h"

namespace weft::nn {

// Self-attention that never forms its weights, of cost linear in the length and with a state of
// fixed size in decoding (Katharopoulos et al. 2020, arXiv 2006.16236): with elu(x) + 1 on queries
// and keys and weights divided by their sum; or unnormalised, q_i (sum_j k_j^T v_j) / (n sqrt(K))
// over n keys, with the config's scale in place of 1 / sqrt(K) where one is set, weights of any
// sign.
struct LinearAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true, kKeepsState = true;
  static int64_t dropout_streams(int64_t) { return 0; }

  bool is_unnormalised = false;

  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  template <class V>
  void fields(V&) {}

 private:
  // Queries and keys with their features.
  LinearSteps features(const SelfInput& in, autograd::Tape* tape) const;
};

// Without positive features: rotated queries and keys may have any sign.
struct UnnormalisedLinearAttentionOptions {
  static constexpr std::string_view kName = "linear-unnormalised";
  static constexpr std::string_view kFormerName = "linear-bare";
  static constexpr std::string_view kHelp = "the same without it";
  static constexpr AttentionLimits kLimits = {
      .activation = "forms no scores to make weights of",
      .dropout = "forms no weights to drop",
      .key_heads = "has a state for each head; expected 0",
      .qk_norm = "forms no scores to keep small",
      .score_bias = "forms no scores to add to; expected none, index, sinusoidal or learned"};

  LinearAttention make(const AttentionDims&) const { return {.is_unnormalised = true}; }
};

struct LinearAttentionOptions {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kHelp =
      "all, by weights that are never formed, with elu(x) + 1 on queries and keys (Katharopoulos "
      "et al. 2020)";
  static constexpr AttentionLimits kLimits = [] {
    AttentionLimits limits = UnnormalisedLinearAttentionOptions::kLimits;
    limits.rotary =
        "has positive queries and keys, which rotation would make negative; expected none, index, "
        "sinusoidal or learned";
    return limits;
  }();

  LinearAttention make(const AttentionDims&) const { return {}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_LINEAR_ATTENTION_H_
