// Attention of linear cost.
#ifndef WEFT_NN_ATTENTION_LINEAR_ATTENTION_H_
#define WEFT_NN_ATTENTION_LINEAR_ATTENTION_H_

#include "weft/nn/attention/self_input.h"

namespace weft::nn {

// Self-attention that never forms weights, of cost linear in the length and with a state of one
// size in decoding (Katharopoulos et al. 2020, arXiv 2006.16236): with elu(x) + 1 on queries and
// keys and weights divided by their sum; or bare, q_i (sum_j k_j^T v_j) / (n sqrt(K)) over the n
// keys seen, with the options' scale in place of 1 / sqrt(K) where one is set.
struct LinearAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;

  bool is_bare = false;

  Tensor operator()(const SelfInput& in, Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V&) {}
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_LINEAR_ATTENTION_H_
