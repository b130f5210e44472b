// Rows in another order.
#ifndef WEFT_OPS_ROWS_SELECT_ROWS_H_
#define WEFT_OPS_ROWS_SELECT_ROWS_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// Which rows of x [M, D] are the rows of y [N, D]; -1: none.
struct Selection {
  Ids from;  // the row of x of each row of y
  Ids to;    // the row of y of each row of x
};

// Takes rows from[0], from[1], ... of `rows`, each at most once; -1 stands for a row of zeros.
// Throws ShapeError for a row that is not there or is taken twice.
Selection make_selection(std::vector<int32_t> from, int64_t rows);

// What undoes a selection of all rows in another order.
Selection inverse(const Selection& selection);

// y[n] = x[from[n]], or zeros; x [M, D], y [N, D].
Tensor select_rows(const Tensor& x, const Selection& selection, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_SELECT_ROWS_H_
