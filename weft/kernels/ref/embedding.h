// Reference table look-up with sinusoidal positions.
#ifndef WEFT_KERNELS_REF_EMBEDDING_H_
#define WEFT_KERNELS_REF_EMBEDDING_H_

#include <cmath>

#include "weft/kernels/view.h"

namespace weft::kernels::ref {

// Feature f of width D: sin(position / 10000^(f / D)) for even f; cos of f - 1's angle for odd f.
inline double sinusoid(int64_t position, int64_t f, int64_t width) {
  const double exponent = static_cast<double>(f - f % 2) / static_cast<double>(width);
  const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
  return f % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

template <class T>
void embedding(Matrix<T> table, const int32_t* ids, double scale, const int32_t* position,
               Matrix<T> y) {
  for (int64_t n = 0; n < y.rows; ++n) {
    for (int64_t f = 0; f < y.cols; ++f) {
      T value = static_cast<T>(scale) * table.row(ids[n])[f];
      if (position) value += static_cast<T>(sinusoid(position[n], f, y.cols));
      y.row(n)[f] = value;
    }
  }
}

template <class T>
void d_embedding(const int32_t* ids, double scale, Matrix<T> d_y, Matrix<T> d_table) {
  for (int64_t n = 0; n < d_y.rows; ++n) {
    for (int64_t f = 0; f < d_y.cols; ++f) {
      d_table.row(ids[n])[f] += static_cast<T>(scale) * d_y.row(n)[f];
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_EMBEDDING_H_
