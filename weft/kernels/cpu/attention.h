// Attention on F32 or BF16, computed in f32: keys stream by in tiles under an online softmax
// (Milakov and Gimelshein 2018; FlashAttention, Dao et al. 2022), so that memory grows with the
// sentence, not with its square. A query's result has the same bits whatever the number of threads,
// the other queries of its sentence and the other sentences.
#ifndef WEFT_KERNELS_CPU_ATTENTION_H_
#define WEFT_KERNELS_CPU_ATTENTION_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// Backend::attention on F32 or BF16 views; lse may be empty.
void attention(const Attention& a);

// Backend::d_attention on F32 or BF16 views; reads `out` and `lse` of the forward pass.
void d_attention(const AttentionGradient& g);

// Backend::cached_attention on F32 queries, with keys and values of F32 or BF16.
void cached_attention(const CachedAttention& a);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_H_
