#ifndef WEFT_KERNELS_LINEAR_ATTENTION_H_
#define WEFT_KERNELS_LINEAR_ATTENTION_H_

#include <span>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Linear attention: attention without softmax, reassociated so that the cost is linear in the
// length (Katharopoulos et al. 2020, arXiv 2006.16236): out_i = q_i S_i / d_i with S_i = sum_j k_j
// v_j^T over the keys of the sequence or, with `causal`, keys 0..i. d_i is q_i . sum_j k_j with
// `by_weight`, else the number of these keys; out is 0 if there are none. q [N, H*K], k [M, H*K], v
// [M, H*Kv], out [N, H*Kv]; divisors [N, H] (F32, or F64 when q is F64) receives d_i for backward.
// The result of a sequence is bit-identical in any batch and for any number of threads.
struct LinearAttention {
  View q, k, v, out, divisors;
  std::span<const int32_t> q_offsets, k_offsets;  // [B + 1]
  int64_t heads = 1;
  bool causal = false;
  bool by_weight = true;
  static constexpr std::string_view kName = "linear_attention";
  // Of the products k v^T and q S.
  Cost cost() const {
    const auto size = static_cast<double>(q.cols) / static_cast<double>(heads);
    return {2 * static_cast<double>(q.rows + k.rows) * size * static_cast<double>(v.cols),
            bytes_of({q, k, v, out})};
  }
};

// d_q, d_k and d_v are overwritten.
struct LinearAttentionBackward {
  LinearAttention forward;
  View d_out = {}, d_q = {}, d_k = {}, d_v = {};
  static constexpr std::string_view kName = "d_linear_attention";
  Cost cost() const {
    const Cost forward_cost = forward.cost();
    return {3 * forward_cost.flop, forward_cost.bytes + bytes_of({d_out, d_q, d_k, d_v})};
  }
};

// One decoding step. Row w of state [W, H * K * (Kv + 1)] holds the sum of k v'^T, v' = (v, 1), of
// the position[w] previous steps; the step adds its k and v and computes out = q S / d as above.
struct LinearAttentionStep {
  View q, k, v, out, state;
  const int32_t* position = nullptr;
  int64_t heads = 1;
  bool by_weight = true;
  static constexpr std::string_view kName = "linear_attention_step";
  Cost cost() const {
    return {4 * static_cast<double>(state.size()), bytes_of({q, k, v, state, state})};
  }
};

namespace ref {
void run(const LinearAttention&), run(const LinearAttentionBackward&),
    run(const LinearAttentionStep&);
}
namespace cpu {
void run(const LinearAttention&), run(const LinearAttentionBackward&),
    run(const LinearAttentionStep&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_LINEAR_ATTENTION_H_
