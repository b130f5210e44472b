// Products of F32 and BF16 matrices on SIMD, for processors that oneDNN does not suit.
#ifndef WEFT_KERNELS_CPU_BLOCKED_GEMM_H_
#define WEFT_KERNELS_CPU_BLOCKED_GEMM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// C = act(op(A) op(B) + beta C + bias); types as gemm() takes them, no dimension is 0. An element
// is summed in floats in the order of the inner dimension, whose length alone says whether parts of
// the sum go by way of C: its bits depend on its row of op(A) and its column of op(B) alone.
void blocked_gemm(const Gemm& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_BLOCKED_GEMM_H_
