// Small products in registers, for attention: C += A B, where B's and C's rows are whole vectors
// and elements of A are broadcast. An element of C is summed in the order of the inner dimension
// with fused multiply-adds, whatever the block it falls in: its bits depend on nothing else.
#if defined(WEFT_KERNELS_CPU_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_PRODUCT_INL_H_
#undef WEFT_KERNELS_CPU_PRODUCT_INL_H_
#else
#define WEFT_KERNELS_CPU_PRODUCT_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ProductTag = hn::CappedTag<float, 16>;
inline constexpr int64_t kLanes = HWY_LANES(float) < 16 ? HWY_LANES(float) : 16;

// Accumulators: kBlockRows * 3 vectors, 24 of AVX-512's 32 registers and 12 of 16 elsewhere.
inline constexpr int kBlockRows = kLanes == 16 ? 8 : 4;
inline constexpr int kBlockVectors = 3;

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
HWY_INLINE void product_block(Broadcast a, Panel b, Panel c, int64_t depth, bool add) {
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

// What a product runs over: C [rows, vectors * kLanes], inner dimension `depth`.
struct Extent {
  int64_t rows, vectors, depth;
};

template <int kRows, bool kColumnwise>
HWY_INLINE void product_rows(Broadcast a, Panel b, Panel c, Extent n, bool add) {
  if (n.vectors == 3) product_block<kRows, 3, kColumnwise>(a, b, c, n.depth, add);
  if (n.vectors == 2) product_block<kRows, 2, kColumnwise>(a, b, c, n.depth, add);
  if (n.vectors == 1) product_block<kRows, 1, kColumnwise>(a, b, c, n.depth, add);
}

// C (+)= A B for up to kBlockVectors vectors.
template <bool kColumnwise>
HWY_NOINLINE void product_strip(Broadcast a, Panel b, Panel c, Extent n, bool add) {
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
HWY_INLINE void product_strips(Broadcast a, Panel b, Panel c, Extent n, bool add) {
  for (int64_t v = 0; v < n.vectors;) {
    const int64_t left = n.vectors - v;
    const int64_t take = left == 4 ? 2 : std::min<int64_t>(left, kBlockVectors);
    product_strip<kColumnwise>(a, {b.data + v * kLanes, b.stride}, {c.data + v * kLanes, c.stride},
                               {n.rows, take, n.depth}, add);
    v += take;
  }
}

// C = A B, or C += A B with `add`; A [rows, depth].
HWY_INLINE void product(ConstPanel a, Panel b, Panel c, Extent n, bool add) {
  product_strips<false>({a.data, a.stride, 1}, b, c, n, add);
}

// C = A^T B, or C += A^T B with `add`; A [depth, rows].
HWY_INLINE void transposed_product(ConstPanel a, Panel b, Panel c, Extent n, bool add) {
  product_strips<true>({a.data, 1, a.stride}, b, c, n, add);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_PRODUCT_INL_H_
