// Reference batch normalisation.
#ifndef WEFT_KERNELS_REF_BATCH_NORM_H_
#define WEFT_KERNELS_REF_BATCH_NORM_H_

#include <cmath>

#include "weft/kernels/backend.h"

namespace weft::kernels::ref {

template <class T>
void column_moments(Matrix<T> x, Matrix<T> stats) {
  const auto rows = static_cast<T>(x.rows);
  for (int64_t f = 0; f < x.cols; ++f) {
    T mean = 0, variance = 0;
    for (int64_t n = 0; n < x.rows; ++n) mean += x.row(n)[f] / rows;
    for (int64_t n = 0; n < x.rows; ++n) {
      variance += (x.row(n)[f] - mean) * (x.row(n)[f] - mean) / rows;
    }
    stats.row(0)[f] = mean;
    stats.row(1)[f] = variance;
  }
}

template <class T>
void batch_norm(const Norm& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), beta = norm.beta.as<T>();
  const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
  for (int64_t f = 0; f < x.cols; ++f) {
    const T mean = stats.row(0)[f];
    const T inverse = 1 / std::sqrt(stats.row(1)[f] + static_cast<T>(norm.epsilon));
    for (int64_t n = 0; n < x.rows; ++n) {
      y.row(n)[f] = (x.row(n)[f] - mean) * inverse * gamma.data[f] + beta.data[f];
    }
  }
}

// With x' = (x - mean) inverse, over each column: d_gamma += sum d_y x', d_beta += sum d_y, and
//   d_x = gamma inverse (d_y - mean(d_y) - x' mean(d_y x')), without the means where stats are
//   fixed.
template <class T>
void d_batch_norm(const BatchNormGradient& g) {
  const auto x = g.x.as<T>(), d_y = g.d_y.as<T>(), d_x = g.d_x.as<T>(), stats = g.stats.as<T>();
  const auto rows = static_cast<T>(x.rows);
  for (int64_t f = 0; f < x.cols; ++f) {
    const T mean = stats.row(0)[f];
    const T inverse = 1 / std::sqrt(stats.row(1)[f] + static_cast<T>(g.epsilon));
    T sum = 0, dot = 0;
    for (int64_t n = 0; n < x.rows; ++n) {
      sum += d_y.row(n)[f];
      dot += d_y.row(n)[f] * (x.row(n)[f] - mean) * inverse;
    }
    g.d_gamma.as<T>().data[f] += dot;
    g.d_beta.as<T>().data[f] += sum;
    for (int64_t n = 0; n < x.rows; ++n) {
      const T normal = (x.row(n)[f] - mean) * inverse;
      const T through = g.is_fixed ? T{0} : (sum + normal * dot) / rows;
      d_x.row(n)[f] = g.gamma.as<T>().data[f] * inverse * (d_y.row(n)[f] - through);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_BATCH_NORM_H_
