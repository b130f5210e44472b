// Small matrix products in registers: C += A B, where rows of B and C are whole vectors and
// elements of A are broadcast. Elements of C are summed in order of the inner dimension with fused
// multiply-adds, for any block size, so their bits depend on nothing else.
#if defined(WEFT_KERNELS_CPU_PRODUCTS_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_PRODUCTS_PRODUCT_INL_H_
#undef WEFT_KERNELS_CPU_PRODUCTS_PRODUCT_INL_H_
#else
#define WEFT_KERNELS_CPU_PRODUCTS_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "weft/kernels/cpu/simd-inl.h"
#include "weft/kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ProductTag = hn::CappedTag<float, 16>;
inline constexpr int64_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;

// Accumulators: kBlockRows * 3 vectors, 24 of AVX-512's 32 registers and 12 of 16 elsewhere.
inline constexpr int kBlockRows = kLanes == 16 ? 8 : 4;
inline constexpr int kBlockVectors = 3;
inline constexpr int64_t kStrip = kBlockVectors * kLanes;  // columns

inline constexpr int64_t round_to_lanes(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Element (r, t) of A is data[r * row_step + t * step].
struct Broadcast {
  const float* data;
  int64_t row_step, step;
};

struct Panel {
  float* data;
  int64_t stride;
};

struct ConstPanel {
  const float* data;
  int64_t stride;
};

// C [kRows, kVectors] (+)= A [kRows, depth] B [depth, kVectors]; kColumnwise: A's row_step is 1.
template <int kRows, int kVectors, bool kColumnwise>
HWY_INLINE void product_block(const Broadcast& a, Panel b, Panel c, int64_t depth, bool add) {
  const ProductTag d;
  hn::Vec<ProductTag> sum[kRows][kVectors];
  const float* rows[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    rows[r] = a.data + r * (kColumnwise ? 1 : a.row_step);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = add ? hn::LoadU(d, c.data + r * c.stride + v * kLanes) : hn::Zero(d);
    }
  }
  const float* column = a.data;
  const float* line = b.data;
  for (int64_t t = 0; t < depth; ++t) {
    hn::Vec<ProductTag> x[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, line + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(d, kColumnwise ? column[r] : rows[r][t]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, x[v], sum[r][v]);
    }
    column += a.step;
    line += b.stride;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[r][v], d, c.data + r * c.stride + v * kLanes);
    }
  }
}

// The extent of a product: C [rows, vectors * kLanes], inner dimension `depth`.
struct Extent {
  int64_t rows, vectors, depth;
};

template <int kRows, bool kColumnwise>
HWY_INLINE void product_rows(const Broadcast& a, Panel b, Panel c, const Extent& n, bool add) {
  if (n.vectors == 3) product_block<kRows, 3, kColumnwise>(a, b, c, n.depth, add);
  if (n.vectors == 2) product_block<kRows, 2, kColumnwise>(a, b, c, n.depth, add);
  if (n.vectors == 1) product_block<kRows, 1, kColumnwise>(a, b, c, n.depth, add);
}

// C (+)= A B for up to kBlockVectors vectors.
template <bool kColumnwise>
HWY_NOINLINE void product_strip(const Broadcast& a, Panel b, Panel c, const Extent& n, bool add) {
  int64_t r = 0;
  const auto step = [&](auto rows) HWY_ATTR {
    constexpr int kRows = decltype(rows)::value;
    const Broadcast a_rows{a.data + r * a.row_step, a.row_step, a.step};
    product_rows<kRows, kColumnwise>(a_rows, b, {c.data + r * c.stride, c.stride}, n, add);
    r += kRows;
  };
  while (n.rows - r >= kBlockRows) step(std::integral_constant<int, kBlockRows>());
  if (n.rows - r >= 4) step(std::integral_constant<int, 4>());
  if (n.rows - r >= 2) step(std::integral_constant<int, 2>());
  if (n.rows - r >= 1) step(std::integral_constant<int, 1>());
}

template <bool kColumnwise>
HWY_NOINLINE void product_strips(const Broadcast& a, Panel b, Panel c, const Extent& n, bool add) {
  for (int64_t v = 0; v < n.vectors;) {
    const int64_t left = n.vectors - v;
    const int64_t take = left == 4 ? 2 : std::min<int64_t>(left, kBlockVectors);
    product_strip<kColumnwise>(a, {b.data + v * kLanes, b.stride}, {c.data + v * kLanes, c.stride},
                               {n.rows, take, n.depth}, add);
    v += take;
  }
}

// C = A B, or C += A B with `add`; A [rows, depth].
HWY_INLINE void product(ConstPanel a, Panel b, Panel c, const Extent& n, bool add) {
  product_strips<false>({a.data, a.stride, 1}, b, c, n, add);
}

// C = A^T B, or C += A^T B with `add`; A [depth, rows].
HWY_INLINE void transposed_product(ConstPanel a, Panel b, Panel c, const Extent& n, bool add) {
  product_strips<true>({a.data, 1, a.stride}, b, c, n, add);
}

// Copies rows, zero-padded to whole vectors: to[i * stride + f] = from.row(i)[f].
template <class T>
HWY_NOINLINE void pack_rows(const Matrix<T>& from, float* to, int64_t stride) {
  const ProductTag d;
  const int64_t whole = from.cols / kLanes * kLanes, width = round_to_lanes(from.cols);
  for (int64_t i = 0; i < from.rows; ++i, to += stride) {
    const T* row = from.row(i);
    for (int64_t f = 0; f < whole; f += kLanes) hn::Store(load(d, row + f), d, to + f);
    for (int64_t f = whole; f < width; ++f) {
      to[f] = f < from.cols ? static_cast<float>(row[f]) : 0.0f;
    }
  }
}

// Rows of whole vectors: the rows themselves if they are F32 and `in_place`, else packed into
// `buffer`.
template <class T>
HWY_INLINE Panel row_panel(const Matrix<T>& rows, bool in_place, float* buffer) {
  if constexpr (std::is_same_v<T, float>) {
    if (in_place) return {rows.data, rows.stride};
  }
  pack_rows(rows, buffer, round_to_lanes(rows.cols));
  return {buffer, round_to_lanes(rows.cols)};
}

// to[f * stride + i] = alpha * from.row(i)[f], with zeros in the lanes after the last row.
template <class T>
HWY_NOINLINE void transpose_rows(const Matrix<T>& from, float alpha, float* to,
                                 int64_t stride = kStrip) {
  const int64_t lanes = round_to_lanes(from.rows);
#if HWY_TARGET == HWY_SCALAR
  for (int64_t i = 0; i < lanes; ++i) {
    for (int64_t f = 0; f < from.cols; ++f) {
      to[f * stride + i] = alpha * static_cast<float>(from.row(i)[f]);
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
      float* target = to + f * stride + i;
      hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, target);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, target + stride);
      hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, target + 2 * stride);
      hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, target + 3 * stride);
    }
    for (; f < from.cols; ++f) {
      for (int64_t r = 0; r < 4; ++r) {
        to[f * stride + i + r] = step[r] ? alpha * static_cast<float>(rows[r][f]) : 0.0f;
      }
    }
  }
#endif
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_PRODUCTS_PRODUCT_INL_H_
