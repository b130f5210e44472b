// Softmax and log-softmax over rows, and their gradients from their outputs.
#ifndef WEFT_KERNELS_CPU_SOFTMAX_H_
#define WEFT_KERNELS_CPU_SOFTMAX_H_

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void softmax(Floats x, Floats y);
void d_softmax(Floats y, Floats d_y, Floats d_x);
void log_softmax(Floats x, Floats y);
void d_log_softmax(Floats y, Floats d_y, Floats d_x);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_SOFTMAX_H_
