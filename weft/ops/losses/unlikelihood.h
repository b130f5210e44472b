// The unlikelihood of candidate classes (Welleck et al. 2019, arXiv 1908.04319).
#ifndef WEFT_OPS_LOSSES_UNLIKELIHOOD_H_
#define WEFT_OPS_LOSSES_UNLIKELIHOOD_H_

#include "weft/ops/losses/cross_entropy.h"
#include "weft/ops/losses/labels.h"

namespace weft::ops {

struct UnlikelihoodParams {
  double weight = 1;            // of each row
  RowWeights row_weights = {};  // [N], beside `weight`
};

// loss [1, 1] = weight * sum over rows of row_weights * sum over c of -log(1 - p_c), where
// p = softmax(logits) and c are the row's candidates, distinct classes; logits [N, V]. Throws
// ShapeError where candidates or row weights do not fit.
Loss unlikelihood(const Tensor& logits, const LabelsPtr& candidates,
                  const UnlikelihoodParams& params, Tape* tape);

// Throws ShapeError unless there are candidates for each of `rows`, each in 0..classes-1.
void check_candidates(const data::Labels& candidates, int64_t rows, int64_t classes);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_UNLIKELIHOOD_H_
