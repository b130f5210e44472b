#include "weft/ops/losses/box_loss.h"

#include <numeric>

#include "weft/kernels/backend.h"
#include "weft/kernels/box_loss.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void check(const Tensor& boxes, const BoxTargets& targets) {
  const char* const where = "box_loss";
  check_shape(where, "boxes", boxes, -1, 4);
  if (targets.boxes.size() != 4 * targets.rows.size()) {
    fail<ShapeError>(where, "expected {} numbers for {} targets, got {}", 4 * targets.rows.size(),
                     targets.rows.size(), targets.boxes.size());
  }
  std::vector<bool> is_taken(static_cast<size_t>(boxes.rows()));
  for (size_t i = 0; i < targets.rows.size(); ++i) {
    const int32_t row = targets.rows[i];
    if (row < 0 || row >= boxes.rows()) {
      fail<ShapeError>(where, "row {}; expected 0 to {}", row, boxes.rows() - 1);
    }
    if (is_taken[row]) fail<ShapeError>(where, "row {} has two targets", row);
    is_taken[row] = true;
    const float width = targets.boxes[4 * i + 2], height = targets.boxes[4 * i + 3];
    if (!(width > 0 && height > 0)) {
      fail<ShapeError>(where, "a target of {} by {}; expected an area", width, height);
    }
  }
}

}  // namespace

BoxLoss box_loss(const Tensor& boxes, const BoxTargetsPtr& targets, const BoxLossWeights& weights,
                 Tape* tape) {
  check(boxes, *targets);
  std::vector<double> l1(targets->rows.size()), giou(l1.size());
  backend_of(boxes)(kernels::BoxLoss{.x = boxes,
                                     .rows = targets->rows,
                                     .targets = targets->boxes,
                                     .l1 = l1.data(),
                                     .giou = giou.data()});
  BoxLoss out;
  out.l1 = std::accumulate(l1.begin(), l1.end(), 0.0);
  out.giou = std::accumulate(giou.begin(), giou.end(), 0.0);
  out.value =
      Tensor::full({1, 1}, weights.l1 * out.l1 + weights.giou * out.giou, sum_type(boxes.dtype()));
  record(tape, out.value, {&boxes}, [boxes, targets, weights](Backward& b) {
    std::vector<double> l1_again(targets->rows.size()), giou_again(l1_again.size());
    const double d_value = b.d_output().item();
    b.write(0, [&](const Tensor& d_boxes) {
      backend_of(boxes)(kernels::BoxLoss{.x = boxes,
                                         .rows = targets->rows,
                                         .targets = targets->boxes,
                                         .l1_weight = weights.l1 * d_value,
                                         .giou_weight = weights.giou * d_value,
                                         .l1 = l1_again.data(),
                                         .giou = giou_again.data(),
                                         .d_x = d_boxes});
    });
  });
  return out;
}

}  // namespace weft::ops
