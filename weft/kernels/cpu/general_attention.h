// Attention by any rule, score function, bias and grouping of heads: a block of queries against
// whole rows of the keys that it sees. Memory grows with these; what no query of a block sees costs
// nothing. A query's result has the same bits whatever the number of threads and the other
// sentences.
#ifndef WEFT_KERNELS_CPU_GENERAL_ATTENTION_H_
#define WEFT_KERNELS_CPU_GENERAL_ATTENTION_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// As cpu::attention and cpu::d_attention, which call them where !is_plain().
void general_attention(const Attention& a);
void d_general_attention(const AttentionGradient& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_GENERAL_ATTENTION_H_
