// The same numbers in another type.
#ifndef WEFT_OPS_CONVERT_H_
#define WEFT_OPS_CONVERT_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = x rounded to `dtype`; x itself where it is of that type.
Tensor convert(const Tensor& x, DType dtype, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_CONVERT_H_
