// The neighbours of each row: what a convolution over a sentence multiplies.
#ifndef WEFT_OPS_WINDOWS_H_
#define WEFT_OPS_WINDOWS_H_

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

// y[n] [width*D] = x[n - width / 2], ..., x[n], ..., x[n + width / 2] beside each other, zeros for
// those beyond the sentence's ends; x [N, D]. Throws ShapeError unless the width is odd.
Tensor windows(const Tensor& x, const RowsPtr& rows, int64_t width, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_WINDOWS_H_
