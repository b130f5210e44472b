// Dropout (Srivastava et al. 2014), inverted: kept elements are scaled up.
#ifndef WEFT_OPS_DROPOUT_H_
#define WEFT_OPS_DROPOUT_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y = x * mask / (1 - p); the mask is made again in backward, nothing is saved. Without dropout x
// itself. x [N, D], N the rows of `drop`.
Tensor dropout(const Tensor& x, const DropoutParams& drop, Tape* tape);

// Throws ShapeError unless there is no dropout or it has the rows of x.
void check_dropout(const DropoutParams& drop, const Tensor& x);

}  // namespace weft::ops

#endif  // WEFT_OPS_DROPOUT_H_
