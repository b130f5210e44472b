// The neighbours of rows in a grid: what a convolution over a picture multiplies.
#ifndef WEFT_OPS_GRID_WINDOWS_H_
#define WEFT_OPS_GRID_WINDOWS_H_

#include <vector>

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

// Square windows over the grids of sentences of N rows, M windows in all.
struct GridWindows {
  RowsPtr rows;           // M windows, with their grid
  std::vector<Ids> at;    // for each place in a window, the row of each window or -1: [size^2][M]
  std::vector<Ids> back;  // the window of each row, or -1: [size^2][N]
};

// Windows of `size` by `size` rows, `stride` apart: window (i, j) has its centre at row i * stride
// and column j * stride. A sentence of H by W rows has ceil(H / stride) * ceil(W / stride) of them,
// in the order of their rows. Throws ShapeError for an even size, a stride below 1, and rows
// without a grid or with two in one place.
GridWindows make_grid_windows(const Rows& rows, int64_t size, int64_t stride);

// y[m] [size^2 * D] = the rows of window m beside each other, zeros for those beyond the grid; x
// [N, D].
Tensor grid_windows(const Tensor& x, const GridWindows& windows, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_GRID_WINDOWS_H_
