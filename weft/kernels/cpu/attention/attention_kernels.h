// The attention kernels for F32 and BF16, and the selection among them. The result of a query is
// bit-identical for any number of threads and any other sequences in the batch.
#ifndef WEFT_KERNELS_CPU_ATTENTION_ATTENTION_KERNELS_H_
#define WEFT_KERNELS_CPU_ATTENTION_ATTENTION_KERNELS_H_

#include "weft/kernels/cpu/attention/attention_items.h"

namespace weft::kernels::cpu {

// If Attention::is_plain(), keys are processed in tiles with an online softmax (Milakov and
// Gimelshein 2018; FlashAttention, Dao et al. 2022), so that memory is linear in the sequence
// length. Products are in F32, or in BF16 if suits_tiles() and is_worth_tiles().

// Whether the processor has BF16 products and the call fits: BF16, head sizes of whole tiles.
bool suits_tiles(const Attention& a);
// Whether a sequence of `keys` keys is long enough. A function of the sequence only, so that its
// result does not depend on the batch.
inline bool is_worth_tiles(int64_t keys) { return keys >= 128; }
// Runs the sequences for which is_worth_tiles().
void attention_on_tiles(const Attention& a);
// The gradients, F32 or BF16, of an item whose sequence is_worth_tiles().
void differentiate_on_tiles(const AttentionBackward& g, const GradientItem& item);

// All other calls: any pattern, score function, bias and head grouping. A query block stores the
// scores of all keys that it attends to; keys that no query of the block attends to cost nothing.
void general_attention(const Attention& a);
void d_general_attention(const AttentionBackward& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_ATTENTION_KERNELS_H_
