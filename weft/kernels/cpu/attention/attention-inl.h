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

// Which queries of a block attend to which keys of a tile: all, or under a causal mask the keys up
// to a query's own index. `ahead` is the index of the block's first query minus that of the tile's
// first key. Scores [key, query] that are not attended to are neither written nor read, except in
// the one vector of queries that attend to a key in part.
struct TileMask {
  bool causal;
  int64_t ahead;

  // The number of keys that some query of vector v attends to, of `keys`.
  HWY_INLINE int64_t attended(int64_t keys, int64_t v) const {
    return causal ? std::clamp<int64_t>(ahead + (v + 1) * kLanes, 0, keys) : keys;
  }

  // Calls body(begin, count, v) on ranges of keys to which queries attend from vector v on.
  template <class Body>
  HWY_INLINE void for_keys(int64_t keys, Body body) const {
    for (int64_t begin = 0, v = 0; begin < keys; ++v) {
      const int64_t end = attended(keys, v);
      if (end > begin) body(begin, end - begin, v);
      begin = std::max(begin, end);
    }
  }

  // The products of keys and queries.
  HWY_INLINE void score(const Floats& keys, Panel queries, Panel scores, int64_t vectors) const {
    for_keys(keys.rows, [&](int64_t begin, int64_t count, int64_t v) HWY_ATTR {
      product({keys.row(begin), keys.stride}, {queries.data + v * kLanes, queries.stride},
              {scores.data + begin * scores.stride + v * kLanes, scores.stride},
              {count, vectors - v, keys.cols}, false);
    });
  }

  // The sums [rows, vectors] of rows of `depth` keys, weighted by weights [key, query]; added to
  // earlier sums with `add`.
  HWY_INLINE void sum(Panel weights, Panel rows, Panel sums, const Extent& n, bool add) const {
    for (int64_t v = 0; v * kLanes < n.rows; ++v) {
      const int64_t first = v * kLanes;
      transposed_product({weights.data + first, weights.stride}, rows,
                         {sums.data + first * sums.stride, sums.stride},
                         {std::min(kLanes, n.rows - first), n.vectors, attended(n.depth, v)}, add);
    }
  }

  // Sets the scores of keys after a query to -infinity.
  HWY_NOINLINE void hide_future(Panel scores, int64_t keys) const {
    const ProductTag d;
    const hn::Rebind<int32_t, ProductTag> di;
    const auto hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
    for (int64_t j = std::max<int64_t>(0, ahead + 1); causal && j < keys; ++j) {
      const int64_t v = (j - ahead) / kLanes;
      float* score = scores.data + j * scores.stride + v * kLanes;
      const auto lane = hn::Iota(di, static_cast<int32_t>(v * kLanes));
      const auto later = hn::Gt(hn::Set(di, static_cast<int32_t>(j - ahead)), lane);
      hn::Store(hn::IfThenElse(hn::RebindMask(d, later), hidden, hn::Load(d, score)), d, score);
    }
  }
};

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_ATTENTION_INL_H_
