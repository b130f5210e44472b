// Connectionist temporal classification on F32; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_CTC_H_
#define WEFT_KERNELS_CPU_CTC_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

void ctc(const Ctc& c);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_CTC_H_
