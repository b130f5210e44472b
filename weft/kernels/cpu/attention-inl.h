// What forward and backward attention share: blocks of queries, tiles of keys, packing.
#if defined(WEFT_KERNELS_CPU_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ATTENTION_INL_H_
#undef WEFT_KERNELS_CPU_ATTENTION_INL_H_
#else
#define WEFT_KERNELS_CPU_ATTENTION_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/attention_items.h"
#include "weft/kernels/cpu/philox-inl.h"
#include "weft/kernels/cpu/product-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// A query stands in a lane: scores of a block are kept as [key, query].
inline constexpr int64_t kQueryBlock = kBlockVectors * kLanes;
inline constexpr int64_t kKeyTile = kDropoutChunk;

using AttentionVector = hn::Vec<ProductTag>;

// 2^x to 2 ulp for x < 128; 0 for x <= -125 and for -infinity.
HWY_INLINE AttentionVector exp2(AttentionVector x) {
  const ProductTag d;
  const hn::Rebind<int32_t, ProductTag> di;
  const auto least = hn::Set(d, -125.0f);
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
  const auto rounding = hn::Set(d, 12582912.0f);
  const auto bounded = hn::Max(x, least);
  const auto power = hn::Add(bounded, rounding);
  const auto r = hn::Sub(bounded, hn::Sub(power, rounding));
  auto p = hn::MulAdd(hn::Set(d, 1.326472615e-3f), r, hn::Set(d, 9.671512991e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550733581e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402224243e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931470037e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  // Adds it to the exponent of p, which lies between 0.7 and 1.42.
  const auto bits = hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, power)));
  return hn::IfThenZeroElse(hn::Le(x, least), hn::BitCast(d, bits));
}

// Rows padded with zeros to whole vectors: to[i * round_to_lanes(cols) + f] = from.row(i)[f].
template <class T>
HWY_INLINE void pack_rows(Matrix<T> from, float* to) {
  const ProductTag d;
  const int64_t whole = from.cols / kLanes * kLanes, stride = round_to_lanes(from.cols);
  for (int64_t i = 0; i < from.rows; ++i, to += stride) {
    const T* row = from.row(i);
    for (int64_t f = 0; f < whole; f += kLanes) hn::Store(load(d, row + f), d, to + f);
    for (int64_t f = whole; f < stride; ++f) {
      to[f] = f < from.cols ? static_cast<float>(row[f]) : 0.0f;
    }
  }
}

// Rows as whole vectors: in place where they are floats and may be, else packed into `space`.
template <class T>
HWY_INLINE Panel row_panel(Matrix<T> rows, bool in_place, float* space) {
  if constexpr (std::is_same_v<T, float>) {
    if (in_place) return {rows.data, rows.stride};
  }
  pack_rows(rows, space);
  return {space, round_to_lanes(rows.cols)};
}

// Asks for a share of rows that will be packed soon: part `part` of `parts`. Rows of one head lie
// far apart, where the hardware does not foresee them.
template <class T>
HWY_INLINE void prefetch_rows(Matrix<T> rows, int64_t part, int64_t parts) {
  for (int64_t i = rows.rows * part / parts; i < rows.rows * (part + 1) / parts; ++i) {
    for (int64_t f = 0; f < rows.cols; f += 64 / sizeof(T)) hwy::Prefetch(rows.row(i) + f);
  }
}

// The other way round, times alpha.
template <class T>
HWY_INLINE void unpack_rows(const float* from, float alpha, Matrix<T> to) {
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

// to[f * kQueryBlock + i] = alpha * from.row(i)[f], with zeros in the lanes after the last row.
template <class T>
HWY_INLINE void transpose_rows(Matrix<T> from, float alpha, float* to) {
  const int64_t lanes = round_to_lanes(from.rows);
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 0; i < lanes; ++i) {
    for (int64_t f = 0; f < from.cols; ++f) {
      to[f * kQueryBlock + i] = alpha * static_cast<float>(from.row(i)[f]);
    }
  }
#else
  alignas(16) constexpr T kZeros[4] = {};
  const hn::CappedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto factor = hn::Set(d, alpha);
  for (int64_t i = 0; i < lanes; i += 4) {
    const T* rows[4];
    int64_t step[4];
    for (int64_t r = 0; r < 4; ++r) {
      step[r] = i + r < from.rows ? 1 : 0;
      rows[r] = step[r] ? from.row(i + r) : kZeros;
    }
    int64_t f = 0;
    for (; f + 4 <= from.cols; f += 4) {
      const auto four = [&](int64_t r)
                            HWY_ATTR { return hn::Mul(factor, load(d, rows[r] + step[r] * f)); };
      const auto x0 = four(0), x1 = four(1), x2 = four(2), x3 = four(3);
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, x0, x1));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, x0, x1));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, x2, x3));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, x2, x3));
      float* at = to + f * kQueryBlock + i;
      hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, at);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, at + kQueryBlock);
      hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d,
                at + 2 * kQueryBlock);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d,
                at + 3 * kQueryBlock);
    }
    for (; f < from.cols; ++f) {
      for (int64_t r = 0; r < 4; ++r) {
        to[f * kQueryBlock + i + r] = step[r] ? alpha * static_cast<float>(rows[r][f]) : 0.0f;
      }
    }
  }
#endif
}

// Scores [key, query] of keys that come after a query are set to -infinity. `ahead`: how far the
// tile's first key stands behind the block's first query (its index there minus the key's).
HWY_INLINE void mask_future(Panel scores, int64_t keys, int64_t vectors, int64_t ahead) {
  const ProductTag d;
  const hn::Rebind<int32_t, ProductTag> di;
  const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int64_t j = std::max<int64_t>(0, ahead + 1); j < keys; ++j) {
    for (int64_t v = 0; v < vectors; ++v) {
      float* at = scores.data + j * scores.stride + v * kLanes;
      const auto lane = hn::Iota(di, static_cast<int32_t>(v * kLanes));
      const auto later = hn::Gt(hn::Set(di, static_cast<int32_t>(j - ahead)), lane);
      hn::Store(hn::IfThenElse(hn::RebindMask(d, later), hidden, hn::Load(d, at)), d, at);
    }
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_INL_H_
