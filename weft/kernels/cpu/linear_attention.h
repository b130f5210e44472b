// Linear attention on F32 or BF16, computed in f32: sentences stream by in chunks of rows, between
// which nothing but the sums S is carried. A sentence's result has the same bits in any batch and
// for any number of threads.
#ifndef WEFT_KERNELS_CPU_LINEAR_ATTENTION_H_
#define WEFT_KERNELS_CPU_LINEAR_ATTENTION_H_

#include "weft/kernels/linear_attention.h"

namespace weft::kernels::cpu {

void linear_attention(const LinearAttention& a);
void d_linear_attention(const LinearAttentionGradient& g);

// On F32.
void linear_attention_step(const LinearAttentionStep& s);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_LINEAR_ATTENTION_H_
