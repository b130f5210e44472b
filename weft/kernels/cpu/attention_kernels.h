// The kernels that attention on F32 or BF16 has here, and which of them runs a call. In all of them
// a query's result has the same bits whatever the number of threads and the other sentences.
#ifndef WEFT_KERNELS_CPU_ATTENTION_KERNELS_H_
#define WEFT_KERNELS_CPU_ATTENTION_KERNELS_H_

#include "weft/kernels/cpu/attention_items.h"

namespace weft::kernels::cpu {

// Where Attention::is_plain(), keys stream by in tiles under an online softmax (Milakov and
// Gimelshein 2018; FlashAttention, Dao et al. 2022), so that memory grows with the sentence, not
// with its square: in F32, or with products of BF16 too where suits_tiles() and is_worth_tiles().

// Whether the processor multiplies BF16 and this call's heads fill tiles: BF16, sizes of whole
// tiles, no dropout.
bool suits_tiles(const Attention& a);
// Whether a sentence of `keys` keys is long enough to be worth it: a function of the sentence
// alone, so that its result does not depend on its batch.
inline bool is_worth_tiles(int64_t keys) { return keys >= 128; }
// The sentences that are worth it.
void attention_on_tiles(const Attention& a);
// The gradients of an item whose sentence is worth it; each is F32 or BF16.
void differentiate_on_tiles(const AttentionBackward& g, const GradientItem& item);

// Every other call: any pattern, score function, bias and grouping of heads. A block of queries
// works on whole rows of the scores of the keys that it attends to. Memory grows with these; what
// no query of a block attends to costs nothing.
void general_attention(const Attention& a);
void d_general_attention(const AttentionBackward& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_KERNELS_H_
