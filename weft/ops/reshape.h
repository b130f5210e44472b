// The same elements in another shape.
#ifndef WEFT_OPS_RESHAPE_H_
#define WEFT_OPS_RESHAPE_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y [rows, cols] with the elements of x in order, a copy where x is not dense. Throws ShapeError
// for another number of elements.
Tensor reshape(const Tensor& x, Shape shape, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_RESHAPE_H_
