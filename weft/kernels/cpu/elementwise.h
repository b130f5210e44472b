// Elementwise kernels on matrices of one shape and type, F32 or BF16, and conversion between them.
#ifndef WEFT_KERNELS_CPU_ELEMENTWISE_H_
#define WEFT_KERNELS_CPU_ELEMENTWISE_H_

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {

void fill(View y, float value);
void scatter_rows(View x, const int32_t* at, View y);
void gather_rows(View x, const int32_t* at, View y);
void copy(View x, View y);  // to BF16: rounds to nearest, ties to even
void add(View x, View z, View y);
void multiply(View x, View z, View y);
void divide(View x, View z, View y);
void scale(float alpha, View x, View y);
void scale_rows(View x, const float* factors, View y);
void accumulate(float alpha, View x, View y);  // y += alpha x; the types may differ

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ELEMENTWISE_H_
