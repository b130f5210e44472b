#include "weft/kernels/dropout.h"

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/dropout.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/philox-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

template <class T>
HWY_INLINE void dropout_row(const DropoutMask& mask, int64_t row, Matrix<T> x, Matrix<T> y) {
  alignas(64) float factors[kDropoutChunk];
  for (int64_t begin = 0; begin < x.cols; begin += kDropoutChunk) {
    dropout_factors(mask, row, begin / kDropoutChunk, factors);
    const T* from = x.row(row) + begin;
    T* to = y.row(row) + begin;
    for_lanes(std::min(kDropoutChunk, x.cols - begin), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      store(hn::IfThenElseZero(kept, hn::Mul(factor, load(d, from + i))), d, to + i);
    });
  }
}

void dropout_rows(const Dropout& k, int64_t begin, int64_t end) {
  with_type(k.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) {
      dropout_row(k.mask, row, k.x.as<T>(), k.y.as<T>());
    }
  });
}

void dropout_columns(const DropoutMask& mask, int64_t n, int64_t chunk, const DropoutColumns& to) {
  draw_columns(mask, n, chunk, to);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(dropout_rows);
HWY_EXPORT(dropout_columns);

void run(const Dropout& k) {
  if (!is_fast(k.x)) return ref::run(k);
  if (!k.mask) return run(Copy{.x = k.x, .y = k.y});
  parallel_rows(k, k.x.rows, 8 * k.x.cols, HWY_DYNAMIC_DISPATCH(dropout_rows));
}

void dropout_columns(const DropoutMask& mask, int64_t n, int64_t chunk, const DropoutColumns& to) {
  HWY_DYNAMIC_DISPATCH(dropout_columns)(mask, n, chunk, to);
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
