// A row of int8 with one scale.
#ifndef WEFT_KERNELS_REF_INT8_ROW_H_
#define WEFT_KERNELS_REF_INT8_ROW_H_

#include <cmath>
#include <cstdint>
#include <limits>

namespace weft::kernels::ref {

// Quantises a row as QuantiseRows and returns its scale.
inline float quantise_row(const float* x, int64_t n, int8_t* q) {
  float top = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!(std::abs(x[i]) <= top)) top = std::abs(x[i]);
    if (std::isnan(top)) break;
  }
  const bool is_zero = top < 1e-30f, is_finite = std::isfinite(top);
  const float factor = 127 / top;
  for (int64_t i = 0; i < n; ++i) {
    q[i] = static_cast<int8_t>(is_zero || !is_finite ? 0 : std::lrint(x[i] * factor));
  }
  if (!is_finite) return std::numeric_limits<float>::quiet_NaN();
  return is_zero ? 0 : top / 127;
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_INT8_ROW_H_
