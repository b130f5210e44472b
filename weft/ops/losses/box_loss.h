// The loss of predicted boxes.
#ifndef WEFT_OPS_LOSSES_BOX_LOSS_H_
#define WEFT_OPS_LOSSES_BOX_LOSS_H_

#include <memory>
#include <vector>

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// The boxes that some of the predicted ones should be.
struct BoxTargets {
  std::vector<int32_t> rows;  // [M] of the predicted boxes, each at most once
  std::vector<float> boxes;   // [M * 4] centre x, centre y, width, height
};
using BoxTargetsPtr = std::shared_ptr<const BoxTargets>;

struct BoxLossWeights {
  double l1 = 1, giou = 1;
};

struct BoxLoss {
  Tensor value;             // [1, 1] = l1 weight * l1 + GIoU weight * giou
  double l1 = 0, giou = 0;  // sums over targets
};

// Of boxes [N, 4] (centre x, centre y, width, height) against their targets: the L1 distance, and
// 1 - GIoU (Rezatofighi et al. 2019, arXiv 1902.09630). Throws ShapeError for boxes of another
// width, rows that are not there or occur twice, and a target without an area.
BoxLoss box_loss(const Tensor& boxes, const BoxTargetsPtr& targets, const BoxLossWeights& weights,
                 Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_BOX_LOSS_H_
