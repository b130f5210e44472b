// Output projection and the loss of targets and of candidates that should not be predicted
// (Welleck et al. 2019, arXiv 1908.04319).
#ifndef WEFT_OPS_FUSED_UNLIKELIHOOD_LOSS_H_
#define WEFT_OPS_FUSED_UNLIKELIHOOD_LOSS_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/unlikelihood.h"

namespace weft::ops {

// Of N rows.
struct TargetsAndCandidates {
  const Ids& targets;
  const LabelsPtr& candidates;
};

struct Unlikelihood {
  CrossEntropy truth = {};  // its weight and row_weights are the whole loss's
  double alpha = 1;         // weight of the unlikelihood
};

// loss [1, 1] = weight * sum over rows of row_weights *
//   (loss against the truth + alpha * sum over candidates c of -log(1 - p_c)).
// x [N, D], weight [V, D], bias [1, V] or empty. The logits exist for a chunk of rows at a time.
// Throws ShapeError where the projection, targets, candidates and row weights do not fit x.
Loss unlikelihood_loss(const Tensor& x, const OutputLayer& projection,
                       const TargetsAndCandidates& classes, const Unlikelihood& params, Tape* tape);
Loss unlikelihood_loss_composite(const Tensor& x, const OutputLayer& projection,
                                 const TargetsAndCandidates& classes, const Unlikelihood& params,
                                 Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_UNLIKELIHOOD_LOSS_H_
