// Reference label-smoothed cross-entropy.
#ifndef WEFT_KERNELS_REF_CROSS_ENTROPY_H_
#define WEFT_KERNELS_REF_CROSS_ENTROPY_H_

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

template <class T>
void cross_entropy(const SoftmaxLoss& c) {
  const auto x = c.x.as<T>(), d_x = c.d_x.as<T>();
  const T rest = static_cast<T>(c.smoothing) / static_cast<T>(x.cols);
  const T hit = 1 - static_cast<T>(c.smoothing);
  for (int64_t n = 0; n < x.rows; ++n) {
    const T normaliser = log_sum_exp(x.row(n), x.cols);
    T sum = 0;
    for (int64_t f = 0; f < x.cols; ++f) sum += normaliser - x.row(n)[f];
    const T nll = normaliser - x.row(n)[c.targets[n]];
    c.nll[n] = nll;
    c.loss[n] = hit * nll + rest * sum;
    if (!d_x.data) continue;
    for (int64_t f = 0; f < x.cols; ++f) {
      const T target = rest + (f == c.targets[n] ? hit : T{0});
      d_x.row(n)[f] = static_cast<T>(c.weight) * (std::exp(x.row(n)[f] - normaliser) - target);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_CROSS_ENTROPY_H_
