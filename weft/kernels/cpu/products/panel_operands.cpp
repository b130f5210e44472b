#include <algorithm>
#include <cstring>

#include "weft/kernels/cpu/products/panel_gemm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/products/panel_operands.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/activation-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Rows of words, pairs of BF16 that need not be aligned to words.
struct WordRows {
  uint16_t* data;
  int64_t stride;  // in BF16

  uint16_t* at(int64_t row, int64_t word) const { return data + row * stride + 2 * word; }
};

// Transposes [rows, words] to [words, rows].
HWY_INLINE void transpose_some(WordRows from, int64_t row, int64_t word, int64_t words,
                               WordRows to) {
  for (int64_t w = word; w < words; ++w) {
    std::memcpy(to.at(w, row), from.at(row, w), sizeof(uint32_t));
  }
}

void transpose_words(WordRows from, int64_t rows, int64_t words, WordRows to) {
  int64_t whole_rows = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint16_t, 8> d16;
  const hn::CappedTag<uint32_t, 4> d;
  const hn::CappedTag<uint64_t, 2> pairs;
  const auto row_at = [&](int64_t r, int64_t w)
                          HWY_ATTR { return hn::BitCast(d, hn::LoadU(d16, from.at(r, w))); };
  const auto store_at = [&](int64_t w, int64_t r, auto low, auto high) HWY_ATTR {
    hn::StoreU(hn::BitCast(d16, hn::InterleaveLower(pairs, low, high)), d16, to.at(w, r));
    hn::StoreU(hn::BitCast(d16, hn::InterleaveUpper(pairs, low, high)), d16, to.at(w + 1, r));
  };
  const int64_t whole = words / 4 * 4;
  for (whole_rows = 0; whole_rows + 4 <= rows; whole_rows += 4) {
    const int64_t r = whole_rows;
    for (int64_t w = 0; w < whole; w += 4) {
      const auto x0 = row_at(r, w), x1 = row_at(r + 1, w);
      const auto x2 = row_at(r + 2, w), x3 = row_at(r + 3, w);
      store_at(w, r, hn::BitCast(pairs, hn::InterleaveLower(d, x0, x1)),
               hn::BitCast(pairs, hn::InterleaveLower(d, x2, x3)));
      store_at(w + 2, r, hn::BitCast(pairs, hn::InterleaveUpper(d, x0, x1)),
               hn::BitCast(pairs, hn::InterleaveUpper(d, x2, x3)));
    }
    for (int64_t i = 0; i < 4; ++i) transpose_some(from, r + i, whole, words, to);
  }
#endif
  for (; whole_rows < rows; ++whole_rows) transpose_some(from, whole_rows, 0, words, to);
}

WordRows words_of(uint32_t* panel) { return {reinterpret_cast<uint16_t*>(panel), 2 * kPanelRows}; }
WordRows words_of(Matrix<BF16> x) { return {reinterpret_cast<uint16_t*>(x.data), x.stride}; }

// words[i] = first[i] | second[i] << 16 for a k-block.
void interleave(const BF16* first, const BF16* second, uint32_t* words) {
  const hn::CappedTag<uint32_t, kPanelRows> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < kPanelRows; i += lanes) {
    const auto words_at = [&](const BF16* x) HWY_ATTR {
      return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(x + i)));
    };
    hn::StoreU(hn::Or(words_at(first), hn::ShiftLeft<16>(words_at(second))), d, words + i);
  }
}

void pack_columns(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel) {
  constexpr BF16 kZeros[kPanelRows] = {};
  BF16 copies[2][kPanelRows] = {};
  const auto row_at = [&](int64_t row, BF16* copy) -> const BF16* {
    if (row >= b.rows) return kZeros;
    if (b.cols == kPanelRows) return b.row(row);
    return std::copy_n(b.row(row), b.cols, copy) - b.cols;
  };
  int64_t block = 0;
  for (; 2 * block < b.rows; ++block) {
    interleave(row_at(2 * block, copies[0]), row_at(2 * block + 1, copies[1]),
               panel + block * kPanelRows);
  }
  std::fill(panel + block * kPanelRows, panel + k_blocks * kPanelRows, 0);
}

void pack_rows(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel) {
  const int64_t words = b.cols / 2;
  if (b.rows < kPanelRows) std::fill_n(panel, words * kPanelRows, 0);
  std::fill(panel + words * kPanelRows, panel + k_blocks * kPanelRows, 0);
  transpose_words(words_of(b), b.rows, words, words_of(panel));
  if (b.cols % 2 == 0) return;
  for (int64_t r = 0; r < b.rows; ++r) panel[words * kPanelRows + r] = b.row(r)[b.cols - 1].bits;
}

void unpack(const uint32_t* panel, Matrix<BF16> to) {
  transpose_words(words_of(const_cast<uint32_t*>(panel)), to.cols / 2, to.rows, words_of(to));
}

void add_sums(const float* terms, int64_t count, float* sums) {
  for_lanes(count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), hn::LoadU(d, terms + i)), d, sums + i);
  });
}

template <class A, class C>
HWY_INLINE void finish_row(const Gemm& g, const float* sums, C* c) {
  const BF16* bias = g.bias ? g.bias.as<BF16>().data : nullptr;
  for_lanes(g.c.cols, [&](auto d, int64_t j) HWY_ATTR {
    auto y = hn::LoadU(d, sums + j);
    if (g.beta != 0) y = hn::MulAdd(hn::Set(d, g.beta), load(d, c + j), y);
    if (bias) y = hn::Add(y, load(d, bias + j));
    store(A::at(d, y).value, d, c + j);
  });
}

void finish(const Gemm& g, const float* sums, int64_t stride) {
  with_activation(g.activation, [&]<class A>(A) HWY_ATTR {
    with_type(g.c.dtype, [&]<class C>(C) HWY_ATTR {
      const Matrix<C> c = g.c.as<C>();
      for (int64_t i = 0; i < c.rows; ++i) finish_row<A>(g, sums + i * stride, c.row(i));
    });
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(pack_columns);
HWY_EXPORT(pack_rows);
HWY_EXPORT(unpack);
HWY_EXPORT(add_sums);
HWY_EXPORT(finish);

void pack_panel_columns(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel) {
  HWY_DYNAMIC_DISPATCH(pack_columns)(b, k_blocks, panel);
}

void pack_panel_rows(Matrix<BF16> b, int64_t k_blocks, uint32_t* panel) {
  HWY_DYNAMIC_DISPATCH(pack_rows)(b, k_blocks, panel);
}

void unpack_panel(const uint32_t* panel, Matrix<BF16> to) {
  HWY_DYNAMIC_DISPATCH(unpack)(panel, to);
}

void add_panel_sums(const float* terms, int64_t count, float* sums) {
  HWY_DYNAMIC_DISPATCH(add_sums)(terms, count, sums);
}

void finish_panels(const Gemm& g, const float* sums, int64_t stride) {
  HWY_DYNAMIC_DISPATCH(finish)(g, sums, stride);
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
