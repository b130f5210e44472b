// Layer normalisation (Ba et al. 2016, arXiv 1607.06450).
#ifndef WEFT_OPS_LAYER_NORM_H_
#define WEFT_OPS_LAYER_NORM_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each row; x [N, D], gamma and beta
// [1, D].
struct NormWeights {
  const Tensor& gamma;
  const Tensor& beta;
  double epsilon = 1e-5;
};

// Throws ShapeError where gamma or beta has another shape.
Tensor layer_norm(const Tensor& x, const NormWeights& weights, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LAYER_NORM_H_
