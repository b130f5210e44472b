// Scaled dot-product attention over ragged batches.
#ifndef WEFT_OPS_FUSED_ATTENTION_H_
#define WEFT_OPS_FUSED_ATTENTION_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/attention.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

using kernels::AttentionPattern;
using kernels::ScoreFunction;

// What is added to scores by the distance from query to key, as kernels::ScoreBias.
struct PositionBias {
  Tensor table;                                      // [2R + 1, H], its gradient included; or empty
  std::shared_ptr<const std::vector<float>> slopes;  // [H] or null

  kernels::ScoreBias view() const;
};

// What attends to what. Sequence b of `queries` attends to sequence b of `keys` and nothing else.
struct AttentionParams {
  LayoutPtr queries;  // N rows
  LayoutPtr keys;     // M rows
  int64_t heads = 1;
  double scale = 1;       // 1 / sqrt(K) in the paper
  bool causal = false;    // a query attends to no key after its own position
  DropoutParams dropout;  // on the probabilities; the mask of head h has stream + h
  int64_t key_heads = 0;  // G: heads of k and v; 0: as many as of q
  AttentionPattern pattern = {};
  ScoreFunction function = ScoreFunction::kSoftmax;
  PositionBias bias = {};
  double soft_cap = 0;  // c of c tanh(score / c), before the bias; 0: none
};

struct SequenceHead {
  int64_t sequence = 0;
  int64_t head = 0;
};

// The scores [T, S] of one head in one sequence, from which its probabilities are made: q k^T *
// scale, capped, and the bias of the parameters, -infinity where a key is masked.
Tensor attention_scores(const Tensor& q, const Tensor& k, const AttentionParams& params,
                        const SequenceHead& which, Tape* tape);

// out = softmax(q k^T * scale) v for each sequence and head (Vaswani et al. 2017), or what the
// parameters puts in place of softmax, with its bias in the scores. q [N, H*K], k [M, G*K], v [M,
// G*Kv], out [N, H*Kv]. The fused kernel keeps O(N) memory (FlashAttention, Dao et al. 2022); the
// composite twin keeps all probabilities. Throws ShapeError where G does not divide H, or heads do
// not divide their columns, and where rows, sequences, bias or dropout do not fit.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionParams& params,
                 Tape* tape);
Tensor attention_composite(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_ATTENTION_H_
