// The neighbours of each row: what a convolution over a sequence or a picture multiplies.
#ifndef WEFT_OPS_ROWS_WINDOWS_H_
#define WEFT_OPS_ROWS_WINDOWS_H_

#include <vector>

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y[n] [width*D] = x[n - width / 2], ..., x[n], ..., x[n + width / 2] beside each other, zeros for
// those beyond the sequence's ends; x [N, D]. Throws ShapeError unless the width is odd.
Tensor windows(const Tensor& x, const LayoutPtr& rows, int64_t width, Tape* tape);

// The windows around rows 0, stride, 2 * stride, ... of each sequence alone: y [M, width*D], whose
// rows are strided_rows(rows, stride). Throws ShapeError as windows(), and for a stride below 1.
Tensor strided_windows(const Tensor& x, const LayoutPtr& rows, int64_t width, int64_t stride,
                       Tape* tape);
// Of sequences of L rows, those of ceil(L / stride) rows.
LayoutPtr strided_rows(const LayoutPtr& rows, int64_t stride);

// Of rows with coordinates in a grid, squares: y[m] [width*width*D] has the rows that are up to
// width / 2 above, below, left and right of row m, from the top left on, zeros for those that are
// not there. With a stride above 1 the middles are the rows both of whose coordinates it divides:
// y [M, width*width*D], whose rows are strided_grid_rows(rows, stride). Throws ShapeError as
// strided_windows(), and for rows without coordinates.
Tensor grid_windows(const Tensor& x, const LayoutPtr& rows, int64_t width, int64_t stride,
                    Tape* tape);
// The rows both of whose coordinates the stride divides, with those divided by it.
LayoutPtr strided_grid_rows(const LayoutPtr& rows, int64_t stride);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_WINDOWS_H_
