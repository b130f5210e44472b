#include "weft/kernels/gemm.h"

#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const Gemm& g) {
  visit("gemm", g.a, [&]<class T>(T) {
    const auto a = g.a.as<T>(), b = g.b.as<T>(), c = g.c.as<T>(), bias = g.bias.as<T>();
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < c.cols; ++j) {
        T sum = 0;
        for (int64_t k = 0; k < g.depth(); ++k) {
          sum += (g.transpose_a ? a.row(k)[i] : a.row(i)[k]) *
                 (g.transpose_b ? b.row(j)[k] : b.row(k)[j]);
        }
        if (g.beta != 0) sum += static_cast<T>(g.beta) * c.row(i)[j];
        if (bias.data) sum += bias.data[j];
        c.row(i)[j] = activate(g.activation, sum);
      }
    }
  });
}

}  // namespace weft::kernels::ref
