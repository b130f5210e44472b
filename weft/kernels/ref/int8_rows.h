// Rows of int8 with scales, as PagedRows holds them.
#ifndef WEFT_KERNELS_REF_INT8_ROWS_H_
#define WEFT_KERNELS_REF_INT8_ROWS_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/kernels/paged_rows.h"

namespace weft::kernels::ref {

// Rounds a row to int8, with a scale for each head. A head with a number that is not finite becomes
// NaN.
template <class T>
void round_to_int8(const T* x, int64_t cols, int64_t heads, int8_t* y) {
  const int64_t size = cols / heads;
  for (int64_t h = 0; h < heads; ++h) {
    const T* from = x + h * size;
    T top = 0;
    bool is_finite = true;
    for (int64_t f = 0; f < size; ++f) {
      top = std::max(top, std::abs(from[f]));
      is_finite = is_finite && std::isfinite(from[f]);
    }
    const float scale =
        is_finite ? static_cast<float>(top) / 127 : std::numeric_limits<float>::quiet_NaN();
    const float inverse = scale > 0 ? 1 / scale : 0;
    for (int64_t f = 0; f < size; ++f) {
      const float value = is_finite ? std::nearbyint(static_cast<float>(from[f]) * inverse) : 1;
      y[h * size + f] = static_cast<int8_t>(std::clamp(value, -127.0f, 127.0f));
    }
    std::memcpy(y + PagedRows::scales_begin(cols) + 4 * h, &scale, sizeof scale);
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_INT8_ROWS_H_
