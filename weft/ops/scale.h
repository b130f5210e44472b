// Scaling by a constant or by one learned number, the product and the quotient of two tensors.
#ifndef WEFT_OPS_SCALE_H_
#define WEFT_OPS_SCALE_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = alpha x.
Tensor scale(const Tensor& x, double alpha, Tape* tape);

// y = factor x, factor [1, 1]. Throws ShapeError for a factor of another shape.
Tensor scale_by(const Tensor& x, const Tensor& factor, Tape* tape);

// y = x * z, element by element, both [N, D]. Throws ShapeError where z has another shape.
Tensor multiply(const Tensor& x, const Tensor& z, Tape* tape);

// y = x / z, element by element, both [N, D]. Throws ShapeError where z has another shape.
Tensor divide(const Tensor& x, const Tensor& z, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_SCALE_H_
