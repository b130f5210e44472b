#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/products/blocked_gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/cpu/products/product-inl.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Goto and van de Geijn 2008 (Anatomy of High-Performance Matrix Multiplication): a group of column
// strips of op(B) is packed. While a row block of op(A) is multiplied with them, a part of a strip
// stays in the L1 cache and the block in the L2 cache.
inline constexpr int64_t kGroupStrips = 240 / kStrip;  // packed together
inline constexpr int64_t kGroupColumns = kGroupStrips * kStrip;
inline constexpr int64_t kRows = 48;  // of a block
// Of a block: the packed part of a strip takes up to 24 KB.
inline constexpr int64_t kDepth = std::min<int64_t>(256, 6144 / kStrip);
// The distance of packed row blocks, in units of kBlockRows. Not a power of two, to avoid cache set
// conflicts.
inline constexpr int64_t kPackedDepth = kDepth + 4;

constexpr int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

template <class T>
Matrix<T> part(Matrix<T> x, int64_t row, int64_t col, int64_t rows, int64_t cols) {
  return {x.row(row) + col, rows, cols, x.stride};
}

// Packs columns of x [depth, rows] for row blocks, with zero padding: element (t, r) is at to[r /
// kBlockRows * kBlockRows * kPackedDepth + t * kBlockRows + r % kBlockRows].
template <class T>
void pack_columns(Matrix<T> x, float* to) {
  const hn::CappedTag<float, kBlockRows> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = x.cols / kBlockRows * kBlockRows;
  for (int64_t t = 0; t < x.rows; ++t, to += kBlockRows) {
    const T* row = x.row(t);
    for (int64_t r = 0; r < whole; r += kBlockRows) {
      for (int64_t q = 0; q < kBlockRows; q += lanes) {
        hn::StoreU(load(d, row + r + q), d, to + r * kPackedDepth + q);
      }
    }
    for (int64_t r = whole; whole < x.cols && r < whole + kBlockRows; ++r) {
      to[whole * kPackedDepth + r - whole] = r < x.cols ? static_cast<float>(row[r]) : 0.0f;
    }
  }
}

template <class T, class C>
class BlockedGemm {
 public:
  explicit BlockedGemm(const Gemm& g)
      : g_(g), a_(g.a.as<T>()), b_(g.b.as<T>()), c_(g.c.as<C>()), depth_(g.depth()) {}

  void operator()() const {
    const int64_t strips = (c_.cols + kStrip - 1) / kStrip;
    Scratch scratch;
    float* packed = scratch.allocate(std::min(kGroupStrips, strips) * depth_ * kStrip);
    for (int64_t first = 0; first < strips; first += kGroupStrips) {
      const int64_t count = std::min(kGroupStrips, strips - first);
      for (int64_t s = 0; s < count; ++s) pack_strip(first + s, packed + s * depth_ * kStrip);
      for (int64_t row = 0; row < c_.rows; row += kRows) {
        multiply_block({row, std::min(kRows, c_.rows - row), first, count, packed});
      }
    }
  }

 private:
  // Rows of op(A) and strips of op(B), which are packed in `packed`.
  struct Block {
    int64_t row, rows, strip, strips;
    const float* packed;
  };

  int64_t columns_of(int64_t strip) const { return std::min(kStrip, c_.cols - strip * kStrip); }
  int64_t depth_range(int64_t t) const { return std::min(kDepth, depth_ - t); }

  // Packs rows of whole vectors with stride kStrip.
  void pack_strip(int64_t strip, float* to) const {
    const int64_t begin = strip * kStrip, cols = columns_of(strip);
    if (g_.transpose_b) {
      transpose_rows(part(b_, begin, 0, cols, depth_), 1.0f, to);
    } else {
      pack_rows(part(b_, 0, begin, depth_, cols), to, kStrip);
    }
  }

  void multiply_block(const Block& x) const {
    alignas(64) float sums[kRows * kGroupColumns];
    for (int64_t t = 0; t < depth_; t += kDepth) {
      g_.transpose_a ? add_columns(x, t, sums) : add_rows(x, t, sums);
    }
    const int64_t column = x.strip * kStrip, stride = x.strips * kStrip;
    const Matrix<C> to = part(c_, x.row, column, x.rows, std::min(stride, c_.cols - column));
    const T* bias = g_.bias ? g_.bias.as<T>().data + column : nullptr;
    with_activation(g_.activation, [&]<class A>(A) HWY_ATTR {
      for (int64_t i = 0; i < x.rows; ++i) {
        finish_row<A>(sums + i * stride, bias, to.row(i), to.cols);
      }
    });
  }

  // Products of the depth range from t.
  void add_rows(const Block& x, int64_t t, float* sums) const {
    alignas(64) float buffer[kRows * kDepth];
    const Panel a = row_panel(part(a_, x.row, t, x.rows, depth_range(t)), true, buffer);
    add_products<false>(x, {a.data, a.stride, 1}, x.rows, t, sums);
  }

  void add_columns(const Block& x, int64_t t, float* sums) const {
    alignas(64) float buffer[kRows * kPackedDepth];
    pack_columns(part(a_, t, x.row, depth_range(t), x.rows), buffer);
    add_products<true>(x, {buffer, kPackedDepth, kBlockRows}, round_up(x.rows, kBlockRows), t,
                       sums);
  }

  template <bool kColumnwise>
  void add_products(const Block& x, Broadcast a, int64_t rows, int64_t t, float* sums) const {
    for (int64_t s = 0; s < x.strips; ++s) {
      const Panel b{const_cast<float*>(x.packed) + (s * depth_ + t) * kStrip, kStrip};
      const Panel c{sums + s * kStrip, x.strips * kStrip};
      const int64_t vectors = round_to_lanes(columns_of(x.strip + s)) / kLanes;
      product_strip<kColumnwise>(a, b, c, {rows, vectors, depth_range(t)}, t > 0);
    }
  }

  template <class A>
  void finish_row(const float* sums, const T* bias, C* c, int64_t cols) const {
    for_lanes(cols, [&](auto d, int64_t j) HWY_ATTR {
      auto y = hn::LoadU(d, sums + j);
      if (g_.beta != 0) y = hn::MulAdd(hn::Set(d, g_.beta), load(d, c + j), y);
      if (bias) y = hn::Add(y, load(d, bias + j));
      store(A::at(d, y).value, d, c + j);
    });
  }

  const Gemm& g_;
  Matrix<T> a_, b_;
  Matrix<C> c_;
  int64_t depth_;
};

void multiply_blocks(const Gemm& g) {
  if (g.a.dtype == DType::kF32) return BlockedGemm<float, float>{g}();
  with_type(g.c.dtype, [&]<class C>(C) HWY_ATTR { BlockedGemm<BF16, C>{g}(); });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {
namespace {

// Longer sums are accumulated in C in parts, so that packed data stays in the cache.
constexpr int64_t kMaxDepth = 1024;
constexpr int64_t kMinThreadWork = 1 << 18;  // products
// Products with many rows are split into more parts than threads, so that a slow thread does not
// delay the others.
constexpr int64_t kPartRows = 512;  // least rows of such a part, since each part packs B
constexpr int64_t kMaxPartsPerThread = 4;
constexpr int64_t kStep = 48;  // whole blocks and vectors, for parts of rows and columns

// Part i of `parts` of [0, n).
Range part_range(int64_t n, int64_t parts, int64_t i) {
  const int64_t steps = (n + kStep - 1) / kStep;
  const auto edge = [&](int64_t j) { return std::min(n, steps * j / parts * kStep); };
  return {edge(i), edge(i + 1)};
}

// The number of row parts, of `parts` in total, that minimises packing.
int64_t row_part_count(const View& c, int64_t parts) {
  int64_t best = 1;
  const auto packed = [&](int64_t by) { return by * c.cols + parts / by * c.rows; };
  for (int64_t by = 2; by <= parts; ++by) {
    if (parts % by == 0 && packed(by) < packed(best)) best = by;
  }
  return best;
}

}  // namespace

HWY_EXPORT(multiply_blocks);

void blocked_gemm(const Gemm& g) {
  const int64_t depth = g.depth();
  const bool is_sum = g.c.dtype == DType::kF32 && !g.bias && g.activation == Activation::kNone;
  const int64_t step = is_sum ? kMaxDepth : depth;
  const int64_t parts =
      std::clamp<int64_t>(g.c.rows * g.c.cols * depth / kMinThreadWork, 1, threads());
  int64_t by_rows = row_part_count(g.c, parts);
  const int64_t by_cols = parts / by_rows;
  if (parts > 1) {
    by_rows *= std::clamp<int64_t>(g.c.rows / by_rows / kPartRows, 1, kMaxPartsPerThread);
  }
  parallel_for(by_rows * by_cols, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Range rows = part_range(g.c.rows, by_rows, i / by_cols);
      const Range cols = part_range(g.c.cols, by_cols, i % by_cols);
      if (rows.size() == 0 || cols.size() == 0) continue;
      for (int64_t t = 0; t < depth; t += step) {
        HWY_DYNAMIC_DISPATCH(multiply_blocks)
        (part(g, rows, cols, {t, std::min(t + step, depth)}));
      }
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
