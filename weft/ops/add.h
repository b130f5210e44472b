// Sums.
#ifndef WEFT_OPS_ADD_H_
#define WEFT_OPS_ADD_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = x + z, both [N, D]. Throws ShapeError where z has another shape.
Tensor add(const Tensor& x, const Tensor& z, Tape* tape);

// y[n] = x[n] + bias, x [N, D], bias [1, D]. Throws ShapeError where the bias has another shape.
Tensor add_bias(const Tensor& x, const Tensor& bias, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ADD_H_
