// Additive attention on F32 or BF16; the arithmetic is in F32.
#ifndef WEFT_KERNELS_CPU_ADDITIVE_ATTENTION_H_
#define WEFT_KERNELS_CPU_ADDITIVE_ATTENTION_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

void additive_attention(const AdditiveAttention& a);
void d_additive_attention(const AdditiveAttentionGradient& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ADDITIVE_ATTENTION_H_
