// Sinkhorn normalisation: nearly permutations, rows and columns that sum up to 1 (Sinkhorn 1964).
#ifndef WEFT_OPS_FUSED_SINKHORN_H_
#define WEFT_OPS_FUSED_SINKHORN_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// Of each matrix [m, m] of x [B*m, m], B of them below each other: exp(x), whose rows are divided
// by their sums and then its columns by theirs, `steps` times. F32 or F64. Throws ShapeError unless
// the rows make whole matrices and there is a step.
Tensor sinkhorn(const Tensor& x, int64_t steps, Tape* tape);

// The same by softmaxes, over columns by transposing twice.
Tensor sinkhorn_composite(const Tensor& x, int64_t steps, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_SINKHORN_H_
