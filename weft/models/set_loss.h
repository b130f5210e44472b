// The loss of a set of boxes against those that a picture has: bipartite matching, then
// cross-entropy and box losses of the pairs (DETR, Carion et al. 2020, arXiv 2005.12872, section
// 3.1).
#ifndef WEFT_MODELS_SET_LOSS_H_
#define WEFT_MODELS_SET_LOSS_H_

#include <cstdint>
#include <vector>

#include "weft/data/batch.h"
#include "weft/ops/layout.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

// What a model says of the N queries of B pictures. Boxes are centre x, centre y, width and height
// as shares of the picture's width and height.
struct BoxPredictions {
  Tensor logits;        // [N, C + 1] of each label, and of "no object"
  Tensor boxes;         // [N, 4], from 0 to 1
  ops::LayoutPtr rows;  // N rows of B pictures
};

// What the pictures have: M boxes in all.
struct ExpectedBoxes {
  const data::Labels& labels;   // [M] of B pictures
  const data::Features& boxes;  // [M, 4], each with an area
};

struct SetLossParams {
  // Of the cost of a pair: minus the label's probability, the L1 distance, minus the GIoU.
  double label_cost = 1, l1_cost = 5, giou_cost = 2;
  // Of the loss of a pair.
  double label_weight = 1, l1_weight = 5, giou_weight = 2;
  double no_object_weight = 0.1;  // in the cross-entropy, of queries without a box
};

// For each of the M boxes the row of the predictions that it is matched with, at the lowest sum of
// costs in its picture, or -1 where there are more boxes than queries.
std::vector<int32_t> match(const BoxPredictions& predicted, const ExpectedBoxes& expected,
                           const SetLossParams& params);

// The sum over queries and boxes, times `weight`: 1 / boxes makes it a mean. Loss::total is the sum
// itself.
ops::Loss set_loss(const BoxPredictions& predicted, const ExpectedBoxes& expected,
                   const SetLossParams& params, double weight, autograd::Tape* tape);

}  // namespace weft::models

#endif  // WEFT_MODELS_SET_LOSS_H_
