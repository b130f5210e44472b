// Low-rank keys and values (Linformer, Wang et al. 2020, arXiv 2006.04768).
#ifndef WEFT_NN_ATTENTION_LINFORMER_H_
#define WEFT_NN_ATTENTION_LINFORMER_H_

#include "weft/nn/attention/self_input.h"
#include "weft/nn/parameters.h"

namespace weft::nn {

// Attention over k mixtures of a sentence's rows in place of the rows: keys E^T K and values F^T V,
// where of the learned E and F [max, k] a sentence of n rows takes the first n. Not causal: each
// mixture is of all rows.
struct LinformerAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;

  Parameter key_mix, value_mix;  // E, F

  LinformerAttention(int64_t keys, int64_t max_positions);
  // Throws ShapeError for a sentence with more rows than E, and where the rows are causal.
  Tensor operator()(const SelfInput& in, Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V& v) {
    v("k_mix.weight", key_mix);
    v("v_mix.weight", value_mix);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_LINFORMER_H_
