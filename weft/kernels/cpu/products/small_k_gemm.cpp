#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/products/small_k_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/product-inl.h"
#include "weft/kernels/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

inline constexpr int64_t kMaxDepth = 16;               // oneDNN is as fast beyond
inline constexpr int64_t kChunkRows = 8 * kBlockRows;  // of A, in F32

// One strip of up to kStrip columns: B [depth, kStrip] in F32, and the columns of C.
template <class C>
struct Strip {
  const float* b;
  C* c;
  int64_t c_stride, cols, depth;
  float beta;
};

// C = A B + beta C for kRows rows of A, kMaxDepth apart, and kVectors whole vectors.
template <int kRows, int kVectors, class C>
HWY_INLINE void multiply_block(const float* a, const Strip<C>& x) {
  const ProductTag d;
  hn::Vec<ProductTag> sum[kRows][kVectors];
#pragma GCC unroll 8
  for (auto& row : sum) {
#pragma GCC unroll 8
    for (auto& v : row) v = hn::Zero(d);
  }
  for (int64_t t = 0; t < x.depth; ++t) {
    hn::Vec<ProductTag> b[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) b[v] = hn::Load(d, x.b + t * kStrip + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto factor = hn::Set(d, a[r * kMaxDepth + t]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(factor, b[v], sum[r][v]);
    }
  }
  const auto beta = hn::Set(d, x.beta);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      C* c = x.c + r * x.c_stride + v * kLanes;
      const auto y = x.beta != 0 ? hn::MulAdd(beta, load(d, c), sum[r][v]) : sum[r][v];
      store(y, d, c);
    }
  }
}

// The same for a strip that may end within a vector, with the same bits.
template <int kRows, class C>
HWY_INLINE void multiply_rows(const float* a, const Strip<C>& x) {
  if (x.cols == kStrip) return multiply_block<kRows, kBlockVectors>(a, x);
  alignas(64) float copy[kRows * kStrip] = {};
  for (int r = 0; x.beta != 0 && r < kRows; ++r) {
    for (int64_t j = 0; j < x.cols; ++j) {
      copy[r * kStrip + j] = static_cast<float>(x.c[r * x.c_stride + j]);
    }
  }
  multiply_block<kRows, kBlockVectors>(a, Strip<float>{x.b, copy, kStrip, kStrip, x.depth, x.beta});
  for (int r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < x.cols; ++j) {
      store(hn::Set(OneFloatTag(), copy[r * kStrip + j]), OneFloatTag(), x.c + r * x.c_stride + j);
    }
  }
}

template <class C>
void multiply_rows_of(const Gemm& g, const float* strips, Range rows) {
  alignas(64) float a[kChunkRows * kMaxDepth];
  const Matrix<C> c = g.c.as<C>();
  const int64_t depth = g.depth();
  for (int64_t begin = rows.begin; begin < rows.end; begin += kChunkRows) {
    const int64_t count = std::min(kChunkRows, rows.end - begin);
    pack_rows(g.a.as<BF16>().range(begin, begin + count), a, kMaxDepth);
    for (int64_t j = 0; j < c.cols; j += kStrip) {
      Strip<C> x{strips + j * depth,
                 c.row(begin) + j,
                 c.stride,
                 std::min(kStrip, c.cols - j),
                 depth,
                 g.beta};
      int64_t r = 0;
      for (; r + kBlockRows <= count; r += kBlockRows, x.c += kBlockRows * c.stride) {
        multiply_rows<kBlockRows>(a + r * kMaxDepth, x);
      }
      for (; r < count; ++r, x.c += c.stride) multiply_rows<1>(a + r * kMaxDepth, x);
    }
  }
}

void multiply_rows_of_any(const Gemm& g, const float* strips, Range rows) {
  with_type(g.c.dtype, [&]<class C>(C) HWY_ATTR { multiply_rows_of<C>(g, strips, rows); });
}

// op(B) in strips of kStrip columns, with zeros after the last.
void pack_strips(const Gemm& g, float* to) {
  const Matrix<BF16> b = g.b.as<BF16>();
  for (int64_t j = 0; j < g.c.cols; j += kStrip, to += g.depth() * kStrip) {
    const int64_t cols = std::min(kStrip, g.c.cols - j);
    if (cols < kStrip) std::fill_n(to, g.depth() * kStrip, 0.0f);
    if (g.transpose_b) {
      transpose_rows(b.range(j, j + cols), 1.0f, to);
    } else {
      pack_rows(Matrix<BF16>{b.data + j, b.rows, cols, b.stride}, to, kStrip);
    }
  }
}

int64_t packed_strips_size(const Gemm& g) {
  return (g.c.cols + kStrip - 1) / kStrip * kStrip * g.depth();
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {
namespace {

constexpr int64_t kMinThreadWork = 1 << 16;  // elements of C

}  // namespace

HWY_EXPORT(multiply_rows_of_any);
HWY_EXPORT(pack_strips);
HWY_EXPORT(packed_strips_size);

bool has_small_k(const Gemm& g) {
  return !g.transpose_a && g.a.dtype == DType::kBF16 && g.depth() <= HWY_NAMESPACE::kMaxDepth &&
         !g.bias && g.activation == Activation::kNone;
}

void small_k_gemm(const Gemm& g) {
  Scratch scratch;
  float* const strips = scratch.allocate(HWY_DYNAMIC_DISPATCH(packed_strips_size)(g));
  HWY_DYNAMIC_DISPATCH(pack_strips)(g, strips);
  const int64_t grain = std::max<int64_t>(8, kMinThreadWork / g.c.cols / 8 * 8);
  parallel_for(g.c.rows, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(multiply_rows_of_any)(g, strips, {begin, end});
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
