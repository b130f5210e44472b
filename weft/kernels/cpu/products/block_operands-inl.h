// Weights in blocks as operands of tile products.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_BLOCK_OPERANDS_INL_H_
#define WEFT_KERNELS_CPU_PRODUCTS_BLOCK_OPERANDS_INL_H_

#include <hwy/base.h>
#include <immintrin.h>

#include <array>
#include <bit>
#include <cstdint>

#include "weft/kernels/cpu/products/block_panels-inl.h"

// Instructions that Highway does not cover; includers must guard them.
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw")

namespace weft::kernels::cpu::block_panels {

constexpr int kPair = 2;   // panels multiplied at a time
constexpr int kUnits = 4;  // groups of columns multiplied at a time
constexpr int64_t kElements = kPanelRows * kChunkCols;

// The weights of up to two panels and kUnits groups of columns, as operands of tile products: a row
// of a tile holds two columns of each of the 16 rows of a panel.
struct alignas(64) Operands {
  uint16_t q[kUnits][kPair][kElements];
  float scale[kUnits][kPair][kPanelRows], offset[kUnits][kPair][kPanelRows];
};

// BF16 of i - zero, i < 2^bits, over and over.
template <int kBits, int kZeroBits>
constexpr std::array<uint16_t, 64> bf16_table() {
  std::array<uint16_t, 64> out{};
  const int zero = kZeroBits == 0 ? 0 : 1 << kZeroBits;
  for (size_t i = 0; i < out.size(); ++i) {
    const auto q = static_cast<int>(i % (size_t{1} << kBits)) - zero;
    out[i] = static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(q)) >> 16);
  }
  return out;
}

// Integers as BF16 from the lowest bits of words.
template <BlockType kType>
struct Bf16Table {
  static constexpr BlockFormat kFormat = format_of(kType);
  static constexpr int kTableBits = kFormat.bits < 8 ? kFormat.bits : 6;
  alignas(64) static constexpr std::array<uint16_t, 64> kTable =
      bf16_table<kTableBits, kFormat.zero_bits>();
  Bf16Table()
      : low(_mm512_load_si512(kTable.data())), high(_mm512_load_si512(kTable.data() + 32)) {}
  __m512i operator()(__m512i words) const {
    if constexpr (kFormat.bits == 6) return _mm512_permutex2var_epi16(low, words, high);
    return _mm512_permutexvar_epi16(words, low);
  }
  __m512i low, high;
};

// Columns first and first + 2 of each four signed bytes, as BF16.
template <int kFirst>
inline __m512i bf16_of_bytes(__m512i q) {
  const auto column = [&](int left) {
    const __m512i word = _mm512_maskz_slli_epi32(kAll, q, static_cast<unsigned>(left));
    const __m512i whole = _mm512_maskz_srai_epi32(kAll, word, 24);
    return _mm512_castps_si512(_mm512_maskz_cvtepi32_ps(kAll, whole));
  };
  const __m512i low = _mm512_maskz_srli_epi32(kAll, column(24 - 8 * kFirst), 16);
  return _mm512_mask_blend_epi16(0xAAAAAAAA, low, column(8 - 8 * kFirst));
}

// Calls put(row, words) for the 16 tile rows of a chunk of a panel: columns 4 v and 4 v + 2 in row
// 2 v, 4 v + 1 and 4 v + 3 in row 2 v + 1.
template <BlockType kType, class Put>
inline void unpack_chunk(const std::byte* from, const Put& put) {
  constexpr BlockFormat kFormat = format_of(kType);
  [[maybe_unused]] const Bf16Table<kType> table;
  if constexpr (kFormat.bits == 4) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors / 2; ++v) {
      const __m512i words = _mm512_loadu_si512(from + 64 * v);
      put(2 * v, table(words));
      put(2 * v + 1, table(_mm512_srli_epi16(words, 8)));
      put(2 * v + 8, table(_mm512_srli_epi16(words, 4)));
      put(2 * v + 9, table(_mm512_srli_epi16(words, 12)));
    }
    return;
  }
  __m512i q[kVectors];
  unpack<kFormat.bits>(from, q);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    if constexpr (kFormat.bits == 8) {
      const __m512i bytes = _mm512_xor_si512(q[v], _mm512_set1_epi8(-128));
      put(2 * v, bf16_of_bytes<0>(bytes));
      put(2 * v + 1, bf16_of_bytes<1>(bytes));
    } else {
      put(2 * v, table(q[v]));
      put(2 * v + 1, table(_mm512_srli_epi16(q[v], 8)));
    }
  }
}

// Chunks [begin, end) of a panel.
template <BlockType kType>
[[gnu::noinline]] void unpack_panel(const PanelReader<kType>& panel, int64_t begin, int64_t end,
                                    int which, Operands& to) {
  constexpr BlockFormat kFormat = format_of(kType);
  constexpr int kGroups = kChunkCols / kFormat.group, kGroupRows = 16 / kGroups;
  for (int64_t chunk = begin; chunk < end; ++chunk) {
    const int64_t unit = (chunk - begin) * kGroups;
    unpack_chunk<kType>(panel.integers + chunk * panel.kSizes.integers, [&](int row, __m512i q) {
      uint16_t* const tile = to.q[unit + row / kGroupRows][which];
      _mm512_store_si512(tile + row % kGroupRows * 32, q);
    });
    __m512 outer = _mm512_setzero_ps();
    if constexpr (kFormat.nested) outer = panel.outer_scale(chunk);
    for (int g = 0; g < kGroups; ++g) {
      _mm512_store_ps(to.scale[unit + g][which], panel.scale(chunk, g, outer));
    }
    if constexpr (kFormat.has_offset) {
      if constexpr (kFormat.nested) outer = panel.outer_offset(chunk);
      _mm512_store_ps(to.offset[unit][which], panel.offset(chunk, outer));
    }
  }
}

}  // namespace weft::kernels::cpu::block_panels

HWY_POP_ATTRIBUTES

#endif  // WEFT_KERNELS_CPU_PRODUCTS_BLOCK_OPERANDS_INL_H_
