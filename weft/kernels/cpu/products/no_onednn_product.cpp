#include "weft/core/error.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/packed_kernel.h"

namespace weft::kernels::cpu {

void keep_onednn_from_tiles() {}

bool multiplies_bf16() { return allows_avx512() && (has_bf16_dots() || has_bf16_tiles()); }

bool suits_onednn(DType) { return false; }

void onednn_product(const Gemm&) { fail<Error>("gemm", "this program was built without oneDNN"); }

}  // namespace weft::kernels::cpu
