// Layer and rms normalisation and the sublayer connection on F32 or BF16; see backend.h for the
// equations.
#ifndef WEFT_KERNELS_CPU_NORM_H_
#define WEFT_KERNELS_CPU_NORM_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void layer_norm(const Norm& norm);  // stats may be empty
void d_layer_norm(const NormGradient& g);
void residual_norm(const ResidualNorm& r);
void rms_norm(const Norm& norm);  // stats may be empty
void d_rms_norm(const NormGradient& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_NORM_H_
