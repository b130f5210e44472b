// Parts of a matrix product, and its implementations.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_GEMM_PART_H_
#define WEFT_KERNELS_CPU_PRODUCTS_GEMM_PART_H_

#include "weft/kernels/gemm.h"

namespace weft::kernels::cpu {

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

inline View part(const View& x, Range rows, Range cols) {
  return {x.at(rows.begin, cols.begin), x.dtype, rows.size(), cols.size(), x.stride};
}

// The contribution of a depth range to rows and columns of C. Ranges other than the first
// accumulate into C.
inline Gemm part(const Gemm& g, Range rows, Range cols, Range depth) {
  Gemm out = g;
  out.a = g.transpose_a ? part(g.a, depth, rows) : part(g.a, rows, depth);
  out.b = g.transpose_b ? part(g.b, cols, depth) : part(g.b, depth, cols);
  out.c = part(g.c, rows, cols);
  if (g.bias) out.bias = part(g.bias, {0, 1}, cols);
  if (depth.begin > 0) out.beta = 1;
  return out;
}

// Whether the processor has BF16 product instructions.
bool multiplies_bf16();

// Whether to use oneDNN for F32 or BF16 on this processor. Without AVX-512, its bits for a row of C
// depend on the number of rows; for BF16 it must have BF16 instructions.
bool suits_onednn(DType type);

// Limits oneDNN to AVX-512 with BF16; without effect after its first product.
void keep_onednn_from_tiles();

// Computes the product with oneDNN on the calling thread, without slack. No dimension may be 0.
// Throws Error if oneDNN fails. Only onednn_product.cpp, which defines this and the three functions
// above, uses oneDNN; a build without it has no_onednn_product.cpp, where suits_onednn() is false.
void onednn_product(const Gemm& g);

// Computes the product with Highway, for processors without suits_onednn(). No dimension may be 0.
// Elements are summed in F32 in order of the inner dimension, whose length determines the partial
// sums in C: the bits of an element depend only on its row of op(A) and its column of op(B).
void blocked_gemm(const Gemm& g);

// Whether small_k_gemm() computes the product: A B or A B' of BF16 matrices with a short inner
// dimension, such as the second product of a low-rank update, without bias and activation. Most of
// its time goes into reading and writing C.
bool has_small_k(const Gemm& g);

// Computes the product with Highway. Elements are summed in F32 in order of the inner dimension.
void small_k_gemm(const Gemm& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_GEMM_PART_H_
