// Sinkhorn normalisation of square matrices and its gradient, as the backend's.
#ifndef WEFT_KERNELS_CPU_SINKHORN_H_
#define WEFT_KERNELS_CPU_SINKHORN_H_

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void sinkhorn(int64_t steps, Floats x, Floats y);
void d_sinkhorn(int64_t steps, Floats x, Floats d_y, Floats d_x);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SINKHORN_H_
