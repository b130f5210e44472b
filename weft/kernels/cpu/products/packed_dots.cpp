#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "weft/kernels/cpu/products/packed_kernel.h"

// Instructions that Highway does not cover, guarded by has_byte_dots() and has_bf16_dots().
HWY_PUSH_ATTRIBUTES("avx512f,avx512vnni,avx512bf16")

namespace weft::kernels::cpu {
namespace {

constexpr int kMaxRows = 8;
constexpr int panels_for(int rows) { return std::min(8, 24 / rows); }

// The instruction takes unsigned x, so 128 has been added to the rows; sums start from the
// correction.
struct ByteDots {
  using Sum = __m512i;
  static Sum start(const PackedBlock& b, int64_t panel) {
    const Sum sums = _mm512_loadu_si512(b.weight_sums + panel * kPanelRows);
    return _mm512_mullo_epi32(sums, _mm512_set1_epi32(-128));
  }
  static Sum add(int32_t x, __m512i w, Sum sum) {
    return _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(x), w);
  }
  static void store(void* to, Sum sum) { _mm512_storeu_si512(to, sum); }
};

struct Bf16Dots {
  using Sum = __m512;
  static Sum start(const PackedBlock&, int64_t) { return _mm512_setzero_ps(); }
  static Sum add(int32_t x, __m512i w, Sum sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(_mm512_set1_epi32(x)),
                            reinterpret_cast<__m512bh>(w));
  }
  static void store(void* to, Sum sum) { _mm512_storeu_ps(to, sum); }
};

// Multiplies kPanels panels from `first`; each has 16 sums in the lanes of a vector.
template <class Op, int kRows, int kPanels>
inline void multiply_panels(const PackedBlock& b, int64_t first) {
  // A single stream is prefetched so far ahead that with several rows it would not fit the L1
  // cache.
  constexpr auto kCache = kPanels == 1 && kRows > 1 ? _MM_HINT_T1 : _MM_HINT_T0;
  typename Op::Sum sum[kRows][kPanels];
  const std::byte *x[kRows], *w[kPanels];
#pragma GCC unroll 8
  for (int p = 0; p < kPanels; ++p) {
    w[p] = b.panels + (first + p) * b.panel_bytes;
    const auto start = Op::start(b, first + p);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) sum[r][p] = start;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) x[r] = b.x + r * b.x_stride;
  for (int64_t i = 0; i < b.k_blocks; ++i) {
    __m512i k_block[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      const std::byte* address = w[p] + i * kKBlockBytes;
      if (b.is_first)
        _mm_prefetch(reinterpret_cast<const char*>(address + prefetch_distance(kPanels)), kCache);
      k_block[p] = _mm512_loadu_si512(address);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int32_t word = 0;
      std::memcpy(&word, x[r] + 4 * i, sizeof(word));
#pragma GCC unroll 8
      for (int p = 0; p < kPanels; ++p) sum[r][p] = Op::add(word, k_block[p], sum[r][p]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      Op::store(static_cast<int32_t*>(b.sums) + (r * b.count + first + p) * kPanelRows, sum[r][p]);
    }
  }
}

// Processes as many panels at a time as there are accumulators, then three, then one; or all one by
// one.
template <class Op, int kRows>
[[gnu::noinline]] void multiply_rows(const PackedBlock& b) {
  constexpr int kMaxPanels = panels_for(kRows);
  const bool streams = b.is_first && kRows <= kStreamRows;
  const int64_t several = streams ? 0 : b.count;
  int64_t p = 0;
  for (; p + kMaxPanels <= several; p += kMaxPanels) multiply_panels<Op, kRows, kMaxPanels>(b, p);
  if constexpr (kMaxPanels > 3) {
    for (; p + 3 <= several; p += 3) multiply_panels<Op, kRows, 3>(b, p);
  }
  for (; p < b.count; ++p) multiply_panels<Op, kRows, 1>(b, p);
}

template <class Op, int kRows = kMaxRows>
void multiply(const PackedBlock& b) {
  if (b.rows == kRows) return multiply_rows<Op, kRows>(b);
  if constexpr (kRows > 1) multiply<Op, kRows - 1>(b);
}

}  // namespace
}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

namespace weft::kernels::cpu {

PackedKernel dot_kernel(DType type) {
  const bool is_integer = type == DType::kI8;
  return {.name = "dots",
          .type = type,
          .form = is_integer ? RowForm::kU8 : RowForm::kBF16,
          .max_rows = kMaxRows,
          .row_step = 1,
          .k_step = 1,
          .panels = [](int64_t rows) -> int64_t { return panels_for(static_cast<int>(rows)); },
          .multiply = is_integer ? multiply<ByteDots> : multiply<Bf16Dots>};
}

}  // namespace weft::kernels::cpu
