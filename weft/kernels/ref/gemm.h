// The reference product.
#ifndef WEFT_KERNELS_REF_GEMM_H_
#define WEFT_KERNELS_REF_GEMM_H_

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/activation.h"

namespace weft::kernels::ref {

template <class T>
void gemm(const Gemm& g) {
  const auto a = g.a.as<T>(), b = g.b.as<T>(), c = g.c.as<T>(), bias = g.bias.as<T>();
  const int64_t depth = g.transpose_a ? a.rows : a.cols;
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.cols; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        sum += (g.transpose_a ? a.row(k)[i] : a.row(i)[k]) *
               (g.transpose_b ? b.row(j)[k] : b.row(k)[j]);
      }
      if (g.beta != 0) sum += static_cast<T>(g.beta) * c.row(i)[j];
      if (bias.data) sum += bias.data[j];
      c.row(i)[j] = activate(g.activation, sum);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_GEMM_H_
