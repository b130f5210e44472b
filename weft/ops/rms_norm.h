// Root mean square normalisation (Zhang and Sennrich 2019, arXiv 1910.07467).
#ifndef WEFT_OPS_RMS_NORM_H_
#define WEFT_OPS_RMS_NORM_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = x / sqrt(mean(x^2) + epsilon) * gamma over each row; x [N, D], gamma [1, D].
struct RmsWeights {
  const Tensor& gamma;
  double epsilon = 1e-5;
};

// Throws ShapeError where gamma has another shape.
Tensor rms_norm(const Tensor& x, const RmsWeights& weights, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_RMS_NORM_H_
