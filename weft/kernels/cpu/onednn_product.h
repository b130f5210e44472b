// Products by oneDNN, on the calling thread alone. Nothing else here knows oneDNN.
#ifndef WEFT_KERNELS_CPU_ONEDNN_PRODUCT_H_
#define WEFT_KERNELS_CPU_ONEDNN_PRODUCT_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// Whether the processor has instructions for products of BF16.
bool multiplies_bf16();

// Whether oneDNN is the one to multiply F32 or BF16 here. With less than AVX-512 it gives a row of
// C other bits at other numbers of rows; BF16 it multiplies by instructions for that alone.
bool suits_onednn(DType type);

// As cpu::gemm, but without slack. Throws Error where oneDNN refuses.
void onednn_product(const Gemm& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ONEDNN_PRODUCT_H_
