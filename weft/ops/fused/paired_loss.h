// Output projection and the loss of two passes over the same batch that are drawn to each other:
// R-Drop (Liang et al. 2021, arXiv 2106.14448).
#ifndef WEFT_OPS_FUSED_PAIRED_LOSS_H_
#define WEFT_OPS_FUSED_PAIRED_LOSS_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

// States of both passes, [N, D] each.
struct Pair {
  const Tensor& first;
  const Tensor& second;
};

struct PairParams {
  CrossEntropy truth = {};
  double alpha = 5;  // weight of the divergence
};

// loss [1, 1] = weight * sum over rows of row_weights * (L(p) + L(q) + alpha D) / 2, where p and q
// are the distributions of the passes, L the loss against the truth and
// D = (KL(p, q) + KL(q, p)) / 2: half of the paper's sum, so that it compares with a single pass.
// Throws ShapeError where the passes, projection, targets and row weights do not fit together.
Loss paired_loss(const Pair& states, const OutputLayer& projection, const Ids& targets,
                 const PairParams& params, Tape* tape);
Loss paired_loss_composite(const Pair& states, const OutputLayer& projection, const Ids& targets,
                           const PairParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_PAIRED_LOSS_H_
