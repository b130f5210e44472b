// The last row of each sequence: pooling by a token that stands after the others.
#ifndef WEFT_OPS_ROWS_LAST_ROWS_H_
#define WEFT_OPS_ROWS_LAST_ROWS_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y[b] = the last of x's rows of sequence b, zeros where it has none; x [N, D], y [B, D]. Throws
// ShapeError where x has another number of rows than `rows`.
Tensor last_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_LAST_ROWS_H_
