// Sums over all elements.
#ifndef WEFT_OPS_SUM_H_
#define WEFT_OPS_SUM_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// The sum of all elements, [1, 1].
Tensor sum(const Tensor& x, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_SUM_H_
