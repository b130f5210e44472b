// Reference layer and rms normalisation.
#ifndef WEFT_KERNELS_REF_NORM_H_
#define WEFT_KERNELS_REF_NORM_H_

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/ref/dropout.h"

namespace weft::kernels::ref {

template <class T>
void layer_norm(const Norm& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), beta = norm.beta.as<T>();
  const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
  const auto width = static_cast<T>(x.cols);
  for (int64_t n = 0; n < x.rows; ++n) {
    T mean = 0, variance = 0;
    for (int64_t f = 0; f < x.cols; ++f) mean += x.row(n)[f];
    mean /= width;
    for (int64_t f = 0; f < x.cols; ++f) {
      variance += (x.row(n)[f] - mean) * (x.row(n)[f] - mean);
    }
    const T inverse = 1 / std::sqrt(variance / width + static_cast<T>(norm.epsilon));
    for (int64_t f = 0; f < x.cols; ++f) {
      y.row(n)[f] = (x.row(n)[f] - mean) * inverse * gamma.data[f] + beta.data[f];
    }
    if (!stats.data) continue;
    stats.row(n)[0] = mean;
    stats.row(n)[1] = inverse;
  }
}

// With x' = (x - mean) inverse and g = d_y gamma:
//   d_x = inverse (g - mean(g) - x' mean(g x')), d_gamma += sum d_y x', d_beta += sum d_y.
template <class T>
void d_layer_norm(const NormGradient& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), stats = norm.stats.as<T>();
  const auto d_y = norm.d_y.as<T>(), d_x = norm.d_x.as<T>();
  const auto d_gamma = norm.d_gamma.as<T>(), d_beta = norm.d_beta.as<T>();
  const auto width = static_cast<T>(x.cols);
  for (int64_t n = 0; n < x.rows; ++n) {
    const T mean = stats.row(n)[0], inverse = stats.row(n)[1];
    T sum = 0, dot = 0;
    for (int64_t f = 0; f < x.cols; ++f) {
      const T normal = (x.row(n)[f] - mean) * inverse, d = d_y.row(n)[f];
      sum += d * gamma.data[f];
      dot += d * gamma.data[f] * normal;
      d_gamma.data[f] += d * normal;
      d_beta.data[f] += d;
    }
    for (int64_t f = 0; f < x.cols; ++f) {
      const T normal = (x.row(n)[f] - mean) * inverse;
      d_x.row(n)[f] =
          inverse * (d_y.row(n)[f] * gamma.data[f] - sum / width - normal * dot / width);
    }
  }
}

template <class T>
void rms_norm(const Norm& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>();
  const auto y = norm.y.as<T>(), stats = norm.stats.as<T>();
  for (int64_t n = 0; n < x.rows; ++n) {
    T squares = 0;
    for (int64_t f = 0; f < x.cols; ++f) squares += x.row(n)[f] * x.row(n)[f];
    const T mean = squares / static_cast<T>(x.cols);
    const T inverse = 1 / std::sqrt(mean + static_cast<T>(norm.epsilon));
    for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = x.row(n)[f] * inverse * gamma.data[f];
    if (stats.data) stats.row(n)[0] = inverse;
  }
}

// With x' = x inverse and g = d_y gamma: d_x = inverse (g - x' mean(g x')), d_gamma += sum d_y x'.
template <class T>
void d_rms_norm(const NormGradient& norm) {
  const auto x = norm.x.as<T>(), gamma = norm.gamma.as<T>(), stats = norm.stats.as<T>();
  const auto d_y = norm.d_y.as<T>(), d_x = norm.d_x.as<T>(), d_gamma = norm.d_gamma.as<T>();
  for (int64_t n = 0; n < x.rows; ++n) {
    const T inverse = stats.row(n)[0];
    T dot = 0;
    for (int64_t f = 0; f < x.cols; ++f) {
      const T normal = x.row(n)[f] * inverse, d = d_y.row(n)[f];
      dot += d * gamma.data[f] * normal;
      d_gamma.data[f] += d * normal;
    }
    dot /= static_cast<T>(x.cols);
    for (int64_t f = 0; f < x.cols; ++f) {
      d_x.row(n)[f] = inverse * (d_y.row(n)[f] * gamma.data[f] - x.row(n)[f] * inverse * dot);
    }
  }
}

// h = residual_scale * residual + dropout(x)
template <class T>
void residual(const ResidualNorm& r) {
  const auto x = r.x.as<T>(), residual = r.residual.as<T>(), h = r.h.as<T>();
  const auto scale = static_cast<T>(r.residual_scale);
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) {
      const T factor = dropout_factor<T>(r.dropout, n, f);
      h.row(n)[f] = scale * residual.row(n)[f] + (factor == 0 ? T{0} : factor * x.row(n)[f]);
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_NORM_H_
