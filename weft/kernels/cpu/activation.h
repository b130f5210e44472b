// Activations and gated units on F32 or BF16; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_ACTIVATION_H_
#define WEFT_KERNELS_CPU_ACTIVATION_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void activation(Activation kind, View x, View y);
void d_activation(Activation kind, View x, View d_y, View d_x);
void gate(Activation kind, View x, View y);                // x [N, 2F], y [N, F]
void d_gate(Activation kind, View x, View d_y, View d_x);  // d_x [N, 2F]

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ACTIVATION_H_
