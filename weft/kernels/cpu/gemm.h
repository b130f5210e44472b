// Products of F32 and BF16 matrices, on oneDNN where the processor has AVX-512.
#ifndef WEFT_KERNELS_CPU_GEMM_H_
#define WEFT_KERNELS_CPU_GEMM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// C = act(op(A) op(B) + beta C + bias); A, B and the bias are of one type, C of the same or F32; no
// dimension is 0. Where memory allows it (View::row_capacity) the rows of A are rounded up, so that
// batches of many sizes share few primitives: slack rows of C are then overwritten with garbage,
// and where A alone is transposed those of A and B with zeros. A row of C has the same bits at
// every number of rows. Throws Error where rows of C overlap.
void gemm(const Gemm& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_GEMM_H_
