// Products of f32 matrices on oneDNN.
#ifndef WEFT_KERNELS_CPU_GEMM_H_
#define WEFT_KERNELS_CPU_GEMM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// C = act(op(A) op(B) + beta C + bias) of f32 views; no dimension is 0. Where the
// memory of A and C allows it (View::row_capacity) the row count is rounded up, so that batches of
// many sizes share few primitives: slack rows of C are overwritten with garbage. Throws Error when
// oneDNN refuses the layout.
void gemm(const Gemm& g);

// The row count that a product of `rows` rows is rounded up to.
int64_t rounded_rows(int64_t rows);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_GEMM_H_
