// What the kernels of linear attention take.
#ifndef WEFT_KERNELS_LINEAR_ATTENTION_H_
#define WEFT_KERNELS_LINEAR_ATTENTION_H_

#include <cstdint>
#include <span>

#include "weft/kernels/view.h"

namespace weft::kernels {

// Attention without softmax, reassociated so that its cost is linear in the length
// (Katharopoulos et al. 2020, arXiv 2006.16236): out_i = q_i S_i / d_i with S_i = sum_j k_j v_j^T
// over the keys that query i sees, all of its sentence or, `causal`, keys 0..i. d_i is
// q_i . sum_j k_j with `by_weight`, else the number of these keys; out is 0 where there are none.
// q [N, H*K], k [M, H*K], v [M, H*Kv], out [N, H*Kv]; divisors [N, H] (F32, or F64 when q is F64)
// keeps d_i for backward.
struct LinearAttention {
  View q, k, v, out, divisors;
  std::span<const int32_t> q_offsets, k_offsets;  // [B + 1]
  int64_t heads = 1;
  bool causal = false;
  bool by_weight = true;
};

// d_q, d_k and d_v are overwritten.
struct LinearAttentionGradient {
  LinearAttention forward;
  View d_out = {}, d_q = {}, d_k = {}, d_v = {};
};

// One decoding step: each row of state [W, H * K * (Kv + 1)], sums of k v'^T with v' = (v, 1) of
// the steps before, takes in its row's k and v; out = q S / d as above. position[w] counts these
// steps.
struct LinearAttentionStep {
  View q, k, v, out, state;
  const int32_t* position = nullptr;
  int64_t heads = 1;
  bool by_weight = true;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_LINEAR_ATTENTION_H_
