// Attention without softmax over ragged batches, linear in the length of sequences.
#ifndef WEFT_OPS_FUSED_LINEAR_ATTENTION_H_
#define WEFT_OPS_FUSED_LINEAR_ATTENTION_H_

#include "weft/autograd/tape.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

struct LinearAttentionParams {
  LayoutPtr queries;  // N rows
  LayoutPtr keys;     // M rows
  int64_t heads = 1;
  bool causal = false;    // query i attends to keys 0..i
  bool by_weight = true;  // weights are divided by their sum, else by their number
};

// out_i = q_i (sum_j k_j^T v_j) / d_i for each sequence and head (Katharopoulos et al. 2020, arXiv
// 2006.16236), d_i = q_i . sum_j k_j or the number of keys. q [N, H*K], k [M, H*K], v [M, H*Kv],
// out [N, H*Kv]. The composite twin forms all weights q k^T. Throws ShapeError where heads do not
// divide the columns, and where rows or sequences do not fit.
Tensor linear_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                        const LinearAttentionParams& params, Tape* tape);
Tensor linear_attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const LinearAttentionParams& params, Tape* tape);

// The weights [T, S] of one head in one sequence, as the composite twin forms them.
Tensor linear_attention_weights(const Tensor& q, const Tensor& k,
                                const LinearAttentionParams& params, const SequenceHead& which,
                                Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_LINEAR_ATTENTION_H_
