// The loss of scores that should be in a given order.
#ifndef WEFT_OPS_LOSSES_COSENT_H_
#define WEFT_OPS_LOSSES_COSENT_H_

#include <span>

#include "weft/autograd/tape.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

using autograd::Tape;

struct CoSentParams {
  double scale = 20;
  double weight = 1;  // 1 / rows makes the loss of one batch log(1 + sum ...)
};

// CoSENT (Su 2022; Huang et al. 2024): scores [B, 1] of pairs, such as cosines, whose order should
// be that of the targets [B]:
//   loss = log(1 + sum over i, j with target[i] > target[j] of exp(scale (score[j] - score[i]))).
// `value` is weight * B * loss and `total` B * loss. Computed in F64. Throws ShapeError for another
// number of targets or columns.
Loss cosent(const Tensor& scores, std::span<const float> targets, const CoSentParams& params,
            Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_COSENT_H_
