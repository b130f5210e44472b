// Batch normalisation over packed rows (Ioffe and Szegedy 2015, arXiv 1502.03167).
#ifndef WEFT_OPS_BATCH_NORM_H_
#define WEFT_OPS_BATCH_NORM_H_

#include "weft/ops/layer_norm.h"

namespace weft::ops {

// Mean and variance, without correction, of each column of x [N, D]: [2, D]. Throws ShapeError
// where x has no rows.
Tensor column_moments(const Tensor& x);

struct BatchMoments {
  const Tensor& stats;    // [2, D]: mean, variance
  bool is_fixed = false;  // they come from elsewhere, as running statistics; else from x itself
};

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each column; x [N, D], gamma and
// beta [1, D]. Gradients flow through moments that are not fixed.
Tensor batch_norm(const Tensor& x, const NormWeights& weights, const BatchMoments& moments,
                  Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_BATCH_NORM_H_
