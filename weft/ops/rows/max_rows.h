// The largest element of each column over a sequence's rows: max pooling.
#ifndef WEFT_OPS_ROWS_MAX_ROWS_H_
#define WEFT_OPS_ROWS_MAX_ROWS_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y[b] = max over x's rows of sequence b, zeros where it has none; x [N, D], y [B, D]. The gradient
// goes to the first of equal elements. Where `row_of` is not null it receives [B * D] the row that
// each element is from, or -1. Throws ShapeError where x has another number of rows than `rows`.
Tensor max_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape,
                std::vector<int32_t>* row_of = nullptr);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_MAX_ROWS_H_
