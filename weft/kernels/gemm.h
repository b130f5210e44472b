// Matrix products.
#ifndef WEFT_KERNELS_GEMM_H_
#define WEFT_KERNELS_GEMM_H_

#include "weft/kernels/activation_kind.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// C = act(op(A) op(B) + beta C + bias), where beta is 0 or 1 and bias is [1, n] or empty. op(A) is
// [m, k] and op(B) is [k, n]. With `transpose_a` A is stored as [k, m]. A, B and bias have the same
// type; C has that type or F32.
//
// If memory allows (View::row_capacity), the cpu backend rounds up the number of rows, so that
// batches of many sizes share few oneDNN primitives. Slack rows of C are then overwritten with
// garbage, and, if only A is transposed, slack rows of A and B with zeros. In F32 a row of C is
// bit-identical for any number of rows; in BF16 its bits may depend on the number of rows and of
// threads where oneDNN computes it. Throws Error if rows of C overlap.
struct Gemm {
  View a, b, c;
  bool transpose_a = false;
  bool transpose_b = false;
  float beta = 0;
  View bias = {};
  Activation activation = Activation::kNone;

  int64_t depth() const { return transpose_a ? a.rows : a.cols; }  // k
  std::string_view name() const {
    const bool is_bf16 = a.dtype == DType::kBF16;
    if (transpose_a) return is_bf16 ? "gemm a'b, bf16" : "gemm a'b";
    if (transpose_b) return is_bf16 ? "gemm ab', bf16" : "gemm ab'";
    return is_bf16 ? "gemm ab, bf16" : "gemm ab";
  }
  Cost cost() const {
    return {2 * static_cast<double>(c.size()) * static_cast<double>(depth()), bytes_of({a, b, c})};
  }
};

namespace ref {
void run(const Gemm&);
}
namespace cpu {
void run(const Gemm&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_GEMM_H_
