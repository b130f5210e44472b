// Block-quantised weights by plain loops, for the reference and where speed does not matter.
#ifndef WEFT_KERNELS_REF_BLOCKS_H_
#define WEFT_KERNELS_REF_BLOCKS_H_

#include "weft/kernels/packed.h"

namespace weft::kernels::ref {

// Quantises one row of QuantiseBlocks.
void quantise_block_row(const QuantiseBlocks& k, int64_t row);

// Packs one panel of PackBlocks.
void pack_block_panel(const PackBlocks& k, int64_t panel);

// Converts a row of the weights to w.cols floats.
void unpack_block_row(const Packed& w, int64_t row, float* to);

// The sums of PackedProduct, without bias and activation, for weights in blocks.
void block_sums(Matrix<float> x, const Packed& w, Matrix<float> sums);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_BLOCKS_H_
