// Rotary positions on F32 or BF16.
#ifndef WEFT_KERNELS_CPU_ROTARY_H_
#define WEFT_KERNELS_CPU_ROTARY_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// Backend::rotary.
void rotary(const Rotary& r, View x, View y);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ROTARY_H_
