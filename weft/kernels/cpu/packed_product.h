// Products with packed weights: how work is shared out around the kernels of packed_kernel.h.
#ifndef WEFT_KERNELS_CPU_PACKED_PRODUCT_H_
#define WEFT_KERNELS_CPU_PACKED_PRODUCT_H_

#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/packed_kernel.h"

namespace weft::kernels::cpu {

// By the kernel that is best here. For F32 and for BF16 it is the same one at every number of rows,
// since kernels differ in their last bits; those of I8 do not.
void packed_product(const PackedProduct& p);
void packed_product(const PackedProduct& p, const PackedKernel& kernel);

// All kernels for weights of a type that the processor has, the best one for many rows first.
std::vector<PackedKernel> packed_kernels(DType type);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PACKED_PRODUCT_H_
