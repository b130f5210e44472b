// Reference KL divergence between two softmaxes.
#ifndef WEFT_KERNELS_REF_DIVERGENCE_H_
#define WEFT_KERNELS_REF_DIVERGENCE_H_

#include <cmath>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels::ref {

// log softmax(x / T)
template <class T>
std::vector<T> log_softmax_at(const T* x, int64_t n, T temperature) {
  std::vector<T> out(x, x + n);
  for (T& v : out) v /= temperature;
  const T normaliser = log_sum_exp(out.data(), n);
  for (T& v : out) v -= normaliser;
  return out;
}

// d_x += w (p - t) / T, d_z += w t (log t - log p - loss) / T.
template <class T>
void divergence(const Divergence& d) {
  const auto x = d.x.as<T>(), z = d.z.as<T>(), d_x = d.d_x.as<T>(), d_z = d.d_z.as<T>();
  const auto temperature = static_cast<T>(d.temperature);
  for (int64_t n = 0; n < x.rows; ++n) {
    const auto log_p = log_softmax_at(x.row(n), x.cols, temperature);
    const auto log_t = log_softmax_at(z.row(n), x.cols, temperature);
    T loss = 0;
    for (int64_t f = 0; f < x.cols; ++f) loss += std::exp(log_t[f]) * (log_t[f] - log_p[f]);
    d.loss[n] = loss;
    const T weight =
        static_cast<T>(d.weight) * (d.row_weights ? d.row_weights[n] : T{1}) / temperature;
    for (int64_t f = 0; f < x.cols; ++f) {
      const T t = std::exp(log_t[f]);
      if (d_x.data) d_x.row(n)[f] += weight * (std::exp(log_p[f]) - t);
      if (d_z.data) d_z.row(n)[f] += weight * t * (log_t[f] - log_p[f] - loss);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_DIVERGENCE_H_
