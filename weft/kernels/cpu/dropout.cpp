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

void dropout_row(const Dropout& dropout, int64_t row, Floats x, Floats y) {
  alignas(64) float factors[kDropoutChunk];
  for (int64_t at = 0; at < x.cols; at += kDropoutChunk) {
    dropout_factors(dropout, row, at / kDropoutChunk, factors);
    const float* from = x.row(row) + at;
    float* to = y.row(row) + at;
    for_lanes(std::min(kDropoutChunk, x.cols - at), [=, &factors](auto d, int64_t i) HWY_ATTR {
      const auto factor = hn::LoadU(d, factors + i);
      const auto kept = hn::Ne(factor, hn::Zero(d));
      hn::StoreU(hn::IfThenElseZero(kept, hn::Mul(factor, hn::LoadU(d, from + i))), d, to + i);
    });
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(dropout_row);

void dropout(const Dropout& d, Floats x, Floats y) {
  if (!d) return copy(x, y);
  parallel_rows(x.rows, 8 * x.cols, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) HWY_DYNAMIC_DISPATCH(dropout_row)(d, row, x, y);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
