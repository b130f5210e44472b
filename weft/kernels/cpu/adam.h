// One pass of Adam over flat buffers; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_ADAM_H_
#define WEFT_KERNELS_CPU_ADAM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

void adam(const Adam& a);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ADAM_H_
