// KL divergence between two softmaxes on F32 or BF16; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_DIVERGENCE_H_
#define WEFT_KERNELS_CPU_DIVERGENCE_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void divergence(const Divergence& d);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_DIVERGENCE_H_
