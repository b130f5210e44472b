// The loss of predicted boxes (DETR, Carion et al. 2020, arXiv 2005.12872).
#ifndef WEFT_KERNELS_BOX_LOSS_H_
#define WEFT_KERNELS_BOX_LOSS_H_

#include <span>
#include <string_view>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Boxes x [N, 4] (F32, BF16 or F64), each centre x, centre y, width, height, against the targets
// t [M, 4] of some rows r:
//   l1[i] = sum_j |x[r_i, j] - t[i, j]|,
//   giou[i] = 1 - GIoU(x[r_i], t[i])  (Rezatofighi et al. 2019, arXiv 1902.09630).
// d_x, unless empty, receives the gradient of sum_i l1_weight l1[i] + giou_weight giou[i]; it is 0
// in other rows. Targets have areas above 0.
struct BoxLoss {
  View x;
  std::span<const int32_t> rows;   // [M], each once
  std::span<const float> targets;  // [M * 4]
  double l1_weight = 1, giou_weight = 1;
  double* l1 = nullptr;    // [M]
  double* giou = nullptr;  // [M]
  View d_x = {};

  static constexpr std::string_view kName = "box loss";
  Cost cost() const { return {0, bytes_of({x, d_x})}; }
};

namespace ref {
void run(const BoxLoss& call);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BOX_LOSS_H_
