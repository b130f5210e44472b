// Layer normalisation and the sublayer connection; see backend.h for the equations.
#ifndef WEFT_KERNELS_CPU_NORM_H_
#define WEFT_KERNELS_CPU_NORM_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

struct LayerNorm {
  Floats x;
  const float* gamma;
  const float* beta;
  float epsilon;
  Floats y;
  Floats stats;  // [N, 2], or empty
};

struct LayerNormGradient {
  Floats x;
  const float* gamma;
  Floats stats;
  Floats d_y, d_x;
  float* d_gamma;  // added to
  float* d_beta;
};

void layer_norm(const LayerNorm& norm);
void d_layer_norm(const LayerNormGradient& g);
// norm.x = residual + dropout(x), then layer_norm(norm).
void residual_norm(const Dropout& dropout, Floats x, Floats residual, const LayerNorm& norm);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_NORM_H_
