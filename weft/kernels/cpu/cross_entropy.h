// Losses against label-smoothed targets and their gradients, F32 or BF16; see backend.h for the
// equations.
#ifndef WEFT_KERNELS_CPU_CROSS_ENTROPY_H_
#define WEFT_KERNELS_CPU_CROSS_ENTROPY_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void cross_entropy(const SoftmaxLoss& c);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_CROSS_ENTROPY_H_
