// Products of BF16 matrices by the kernels of packed weights (packed_kernel.h), for processors with
// BF16 instructions. Both operands are packed for each call.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_PANEL_GEMM_H_
#define WEFT_KERNELS_CPU_PRODUCTS_PANEL_GEMM_H_

#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/gemm.h"

namespace weft::kernels::cpu {

// The kernel must take rows as RowForm::kBF16. No dimension may be 0. The bits of an element depend
// only on its row of op(A), its column of op(B) and the kernel.
void panel_gemm(const Gemm& g, const PackedKernel& kernel);

// Packs up to 16 columns of op(B) into a panel of `k_blocks` k-blocks, zero-padded: from rows of B,
// [depth, cols], or from rows of its transpose, [cols, depth].
void pack_panel_columns(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel);
void pack_panel_rows(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel);

// Copies the first rows of a panel of to.cols / 2 k-blocks.
void unpack_panel(const uint32_t* panel, Matrix<BF16> to);

// sums += terms, both [count].
void add_panel_sums(const float* terms, int64_t count, float* sums);

// C = act(sums + beta C + bias) for the columns of g.c; sums has a stride of `stride`.
void finish_panels(const Gemm& g, const float* sums, int64_t stride);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_PANEL_GEMM_H_
