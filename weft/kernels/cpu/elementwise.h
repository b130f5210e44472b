// Elementwise kernels on f32 matrices of one shape, and conversion to and from BF16.
#ifndef WEFT_KERNELS_CPU_ELEMENTWISE_H_
#define WEFT_KERNELS_CPU_ELEMENTWISE_H_

#include "weft/core/bf16.h"
#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void fill(Floats y, float value);
void copy(Floats x, Floats y);
void copy(Floats x, Matrix<BF16> y);  // rounds to nearest, ties to even
void copy(Matrix<BF16> x, Floats y);
void add(Floats x, Floats z, Floats y);
void multiply(Floats x, Floats z, Floats y);
void scale(float alpha, Floats x, Floats y);
void accumulate(float alpha, Floats x, Floats y);  // y += alpha x

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ELEMENTWISE_H_
