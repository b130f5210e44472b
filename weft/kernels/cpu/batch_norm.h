// Batch normalisation on F32 or BF16; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_BATCH_NORM_H_
#define WEFT_KERNELS_CPU_BATCH_NORM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

void column_moments(View x, View stats);
void batch_norm(const Norm& norm);
void d_batch_norm(const BatchNormGradient& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_BATCH_NORM_H_
