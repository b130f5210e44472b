#include "weft/ops/losses/unlikelihood.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/unlikelihood.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

void check_candidates(const data::Labels& candidates, int64_t rows, int64_t classes) {
  check_labels("unlikelihood", candidates, rows);
  for (const int32_t id : candidates.ids) {
    if (id < 0 || id >= classes) {
      fail<ShapeError>("unlikelihood", "candidate {} out of range; expected 0 to {}", id,
                       classes - 1);
    }
  }
}

Loss unlikelihood(const Tensor& logits, const LabelsPtr& candidates,
                  const UnlikelihoodParams& params, Tape* tape) {
  check_candidates(*candidates, logits.rows(), logits.cols());
  check_row_weights(params.row_weights, logits.rows());
  std::vector<double> losses(static_cast<size_t>(logits.rows()));
  backend_of(logits)(kernels::Unlikelihood{.x = logits,
                                           .candidates = candidates->ids.data(),
                                           .offsets = candidates->segments.offsets,
                                           .loss = losses.data()});
  Loss sum;
  sum.total = weighted_sum(losses, params.row_weights);
  sum.value = Tensor::full({1, 1}, params.weight * sum.total, sum_type(logits.dtype()));
  record(tape, sum.value, {&logits}, [logits, candidates, params](Backward& b) {
    std::vector<double> again(static_cast<size_t>(logits.rows()));
    b.accumulate(0, [&](const Tensor& d_logits) {
      backend_of(logits)(kernels::Unlikelihood{.x = logits,
                                               .candidates = candidates->ids.data(),
                                               .offsets = candidates->segments.offsets,
                                               .weight = params.weight * b.d_output().item(),
                                               .row_weights = data_of(params.row_weights),
                                               .loss = again.data(),
                                               .d_x = d_logits});
    });
  });
  return sum;
}

}  // namespace weft::ops
