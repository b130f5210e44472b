// Query blocks and key tiles, shared by forward and backward attention.
#if defined(WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_
#undef WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_
#else
#define WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "weft/kernels/cpu/attention/attention_items.h"
#include "weft/kernels/cpu/philox-inl.h"
#include "weft/kernels/cpu/products/product-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Each lane holds a query: the scores of a block are stored as [key, query].
inline constexpr int64_t kQueryBlock = kStrip;
inline constexpr int64_t kKeyTile = kDropoutChunk;

using AttentionVector = hn::Vec<ProductTag>;

// 2^x to 2 ulp for x < 128; 0 for x <= -125 and for -infinity.
HWY_INLINE AttentionVector exp2(AttentionVector x) {
  const ProductTag d;
  const hn::Rebind<int32_t, ProductTag> di;
  const auto least = hn::Set(d, -125.0f);
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
  const auto rounding = hn::Set(d, 12582912.0f);
  const auto bounded = hn::Max(x, least);
  const auto power = hn::Add(bounded, rounding);
  const auto r = hn::Sub(bounded, hn::Sub(power, rounding));
  auto p = hn::MulAdd(hn::Set(d, 1.326472615e-3f), r, hn::Set(d, 9.671512991e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550733581e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402224243e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931470037e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  // Add it to the exponent of p, which is between 0.7 and 1.42.
  const auto bits = hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, power)));
  return hn::IfThenZeroElse(hn::Le(x, least), hn::BitCast(d, bits));
}

// Prefetches part `part` of `parts` of rows that will be packed soon. Rows of one head are far
// apart, so the hardware prefetcher does not cover them.
template <class T>
HWY_INLINE void prefetch_rows(const Matrix<T>& rows, int64_t part, int64_t parts) {
  for (int64_t i = rows.rows * part / parts; i < rows.rows * (part + 1) / parts; ++i) {
    for (int64_t f = 0; f < rows.cols; f += 64 / sizeof(T)) hwy::Prefetch(rows.row(i) + f);
  }
}

// Copies packed rows back to a matrix, multiplied by alpha.
template <class T>
HWY_NOINLINE void unpack_rows(const float* from, float alpha, const Matrix<T>& to) {
  const ProductTag d;
  const int64_t whole = to.cols / kLanes * kLanes, stride = round_to_lanes(to.cols);
  for (int64_t i = 0; i < to.rows; ++i, from += stride) {
    T* row = to.row(i);
    for (int64_t f = 0; f < whole; f += kLanes) {
      store(hn::Mul(hn::Set(d, alpha), hn::Load(d, from + f)), d, row + f);
    }
    for (int64_t f = whole; f < to.cols; ++f) row[f] = T(alpha * from[f]);
  }
}

// Sets the scores [key, query] of keys after a query to -infinity. `ahead` is the index of the
// block's first query minus that of the tile's first key.
inline HWY_NOINLINE void mask_future(Panel scores, int64_t keys, int64_t vectors, int64_t ahead) {
  const ProductTag d;
  const hn::Rebind<int32_t, ProductTag> di;
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int64_t j = std::max<int64_t>(0, ahead + 1); j < keys; ++j) {
    // Later vectors have no query before key j.
    const int64_t before = std::min(vectors, (j - ahead + kLanes - 1) / kLanes);
    for (int64_t v = 0; v < before; ++v) {
      float* score = scores.data + j * scores.stride + v * kLanes;
      const auto lane = hn::Iota(di, static_cast<int32_t>(v * kLanes));
      const auto later = hn::Gt(hn::Set(di, static_cast<int32_t>(j - ahead)), lane);
      hn::Store(hn::IfThenElse(hn::RebindMask(d, later), hidden, hn::Load(d, score)), d, score);
    }
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_
