// Attention pooling: the mean over a sequence's rows, each weighing what a learned query says (Lin
// et al. 2017, arXiv 1703.03130).
#ifndef WEFT_OPS_ROWS_ATTENTION_POOL_H_
#define WEFT_OPS_ROWS_ATTENTION_POOL_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y[b] = sum_t p_t x_t over the rows of sequence b, p = softmax over them of query . x_t; zeros
// where it has none. x [N, D], query [1, D], y [B, D]; each of `heads` does so on its own D / heads
// columns. Throws ShapeError where x has another number of rows than `rows`, or the query or the
// heads do not fit.
Tensor attention_pool(const Tensor& x, const Tensor& query, const LayoutPtr& rows, int64_t heads,
                      Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROWS_ATTENTION_POOL_H_
