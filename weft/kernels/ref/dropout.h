// Reference dropout.
#ifndef WEFT_KERNELS_REF_DROPOUT_H_
#define WEFT_KERNELS_REF_DROPOUT_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::ref {

// The factor of feature f in row n: 0 where it is dropped, 1 / (rate kept) elsewhere.
template <class T>
T dropout_factor(const Dropout& d, int64_t n, int64_t f) {
  if (!d) return 1;
  const auto block = static_cast<uint32_t>(16 * (f / 128) + f % 16);
  const int64_t j = (f / 16) % 8;
  const PhiloxCounter words = philox(
      {d.site, static_cast<uint32_t>(d.sentence[n]), static_cast<uint32_t>(d.position[n]), block},
      d.key);
  const uint32_t draw = j % 2 == 0 ? words[j / 2] & 0xFFFFu : words[j / 2] >> 16;
  return draw < d.threshold ? T{0} : static_cast<T>(d.factor());
}

template <class T>
void dropout(const Dropout& d, Matrix<T> x, Matrix<T> y) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) {
      const T factor = dropout_factor<T>(d, n, f);
      y.row(n)[f] = factor == 0 ? T{0} : factor * x.row(n)[f];
    }
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_DROPOUT_H_
