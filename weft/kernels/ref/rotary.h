// Reference rotary positions.
#ifndef WEFT_KERNELS_REF_ROTARY_H_
#define WEFT_KERNELS_REF_ROTARY_H_

#include <cmath>

#include "weft/kernels/attention.h"

namespace weft::kernels::ref {

template <class T>
void rotary(const Rotary& r, Matrix<T> x, Matrix<T> y) {
  const int64_t size = x.cols / r.heads / r.axes, half = size / 2;
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t part = 0; part < r.heads * r.axes; ++part) {
      const T* from = x.row(n) + part * size;
      T* to = y.row(n) + part * size;
      for (int64_t f = 0; f < half; ++f) {
        const double exponent = -static_cast<double>(f) / static_cast<double>(half);
        const double angle = r.position[n * r.axes + part % r.axes] * std::pow(r.base, exponent);
        const T cosine = static_cast<T>(std::cos(angle));
        const T sine = static_cast<T>(r.back ? -std::sin(angle) : std::sin(angle));
        const T first = from[f], second = from[f + half];
        to[f] = first * cosine - second * sine;
        to[f + half] = second * cosine + first * sine;
      }
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ROTARY_H_
