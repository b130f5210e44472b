// Conversion between types of elements.
#ifndef WEFT_OPS_CAST_H_
#define WEFT_OPS_CAST_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// x in another type, rounded to nearest; x itself where it has that type.
Tensor cast(const Tensor& x, DType type, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_CAST_H_
