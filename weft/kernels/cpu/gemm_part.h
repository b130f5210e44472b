// Parts of a product, for threads and for caches.
#ifndef WEFT_KERNELS_CPU_GEMM_PART_H_
#define WEFT_KERNELS_CPU_GEMM_PART_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

inline int64_t depth_of(const Gemm& g) { return g.transpose_a ? g.a.rows : g.a.cols; }

inline View part(const View& x, Range rows, Range cols) {
  return {x.at(rows.begin, cols.begin), x.dtype, rows.size(), cols.size(), x.stride};
}

// What rows and columns of C take of a stretch of the depth. A stretch other than the first adds to
// C.
inline Gemm part(const Gemm& g, Range rows, Range cols, Range depth) {
  Gemm out = g;
  out.a = g.transpose_a ? part(g.a, depth, rows) : part(g.a, rows, depth);
  out.b = g.transpose_b ? part(g.b, cols, depth) : part(g.b, depth, cols);
  out.c = part(g.c, rows, cols);
  if (g.bias) out.bias = part(g.bias, {0, 1}, cols);
  if (depth.begin > 0) out.beta = 1;
  return out;
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_GEMM_PART_H_
