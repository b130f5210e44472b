// Parts of a product, and the two ways to multiply one.
#ifndef WEFT_KERNELS_CPU_GEMM_PART_H_
#define WEFT_KERNELS_CPU_GEMM_PART_H_

#include "weft/kernels/gemm.h"

namespace weft::kernels::cpu {

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

inline View part(const View& x, Range rows, Range cols) {
  return {x.at(rows.begin, cols.begin), x.dtype, rows.size(), cols.size(), x.stride};
}

// What rows and columns of C take of a range of the depth. A range other than the first adds to C.
inline Gemm part(const Gemm& g, Range rows, Range cols, Range depth) {
  Gemm out = g;
  out.a = g.transpose_a ? part(g.a, depth, rows) : part(g.a, rows, depth);
  out.b = g.transpose_b ? part(g.b, cols, depth) : part(g.b, depth, cols);
  out.c = part(g.c, rows, cols);
  if (g.bias) out.bias = part(g.bias, {0, 1}, cols);
  if (depth.begin > 0) out.beta = 1;
  return out;
}

// Whether the processor has instructions for products of BF16.
bool multiplies_bf16();

// Whether oneDNN is the one to multiply F32 or BF16 here. With less than AVX-512 it gives a row of
// C other bits at other numbers of rows; BF16 it multiplies by instructions for that alone.
bool suits_onednn(DType type);

// By oneDNN, on the calling thread alone and without slack; no dimension is 0. Throws Error where
// oneDNN refuses. Nothing else here knows oneDNN.
void onednn_product(const Gemm& g);

// On SIMD, for processors that oneDNN does not suit; no dimension is 0. An element is summed in
// floats in the order of the inner dimension, whose length alone says whether parts of the sum go
// by way of C: its bits depend on its row of op(A) and its column of op(B) alone.
void blocked_gemm(const Gemm& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_GEMM_PART_H_
