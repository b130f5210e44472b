#include "weft/kernels/cpu/dropout.h"

#include "weft/kernels/cpu/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/dropout.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/philox-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

template <class T>
HWY_INLINE void dropout_row(const Dropout& dropout, int64_t row, Matrix<T> x, Matrix<T> y) {
  alignas(64) float factors[kDropoutChunk];
  for (int64_t at = 0; at < x.cols; at += kDropoutChunk) {
    dropout_factors(dropout, row, at / kDropoutChunk, factors);
    const T* from = x.row(row) + at;
    T* to = y.row(row) + at;
    for_lanes(std::min(kDropoutChunk, x.cols - at), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      store(hn::IfThenElseZero(kept, hn::Mul(factor, load(d, from + i))), d, to + i);
    });
  }
}

void dropout_rows(const Dropout& dropout, View x, View y, int64_t begin, int64_t end) {
  with_type(x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) dropout_row(dropout, row, x.as<T>(), y.as<T>());
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(dropout_rows);

void dropout(const Dropout& d, View x, View y) {
  if (!d) return copy(x, y);
  parallel_rows(x.rows, 8 * x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(dropout_rows)(d, x, y, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
