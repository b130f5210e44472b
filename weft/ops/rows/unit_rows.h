// Rows of length one, so that their inner products are cosines.
#ifndef WEFT_OPS_ROWS_UNIT_ROWS_H_
#define WEFT_OPS_ROWS_UNIT_ROWS_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y = x / |x| for each row of x [N, D], with 1e-24 added to the squared length, so that a row of
// zeros stays one.
Tensor unit_rows(const Tensor& x, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_UNIT_ROWS_H_
