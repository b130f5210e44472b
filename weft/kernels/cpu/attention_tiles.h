// Attention of BF16 on tiles: the same online softmax as attention.cpp, its products of BF16 too.
#ifndef WEFT_KERNELS_CPU_ATTENTION_TILES_H_
#define WEFT_KERNELS_CPU_ATTENTION_TILES_H_

#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/attention_items.h"
#include "weft/kernels/cpu/attention_shares.h"

namespace weft::kernels::cpu {

// Whether the processor multiplies BF16 and this call's heads fill tiles: BF16, sizes of whole
// tiles, no dropout.
bool suits_tiles(const Attention& a);

// Whether a sentence of so many keys is long enough to be worth it: a function of the sentence
// alone, so that its result does not depend on its batch.
inline bool is_worth_tiles(int64_t keys) { return keys >= 128; }

// Does the sentences that are worth it.
void attention_on_tiles(const Attention& a);

// What an item of backward gives, where its sentence is worth it; each gradient is F32 or BF16.
void differentiate_on_tiles(const AttentionGradient& g, const GradientItem& item);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_TILES_H_
