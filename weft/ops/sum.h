// Sums over all elements.
#ifndef WEFT_OPS_SUM_H_
#define WEFT_OPS_SUM_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// The sum of all elements, [1, 1], of x's sum_type.
Tensor sum(const Tensor& x, Tape* tape);

// The same as a number.
double total_of(const Tensor& x);

}  // namespace weft::ops

#endif  // WEFT_OPS_SUM_H_
