// Dropout whose mask is made on the fly; see attention.h for the draws.
#ifndef WEFT_KERNELS_CPU_DROPOUT_H_
#define WEFT_KERNELS_CPU_DROPOUT_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

// y = x with some elements zero and the others scaled; a copy where d.threshold is 0.
void dropout(const Dropout& d, View x, View y);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_DROPOUT_H_
