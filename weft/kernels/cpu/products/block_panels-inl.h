// Reads panels of weights in blocks by AVX-512.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_BLOCK_PANELS_INL_H_
#define WEFT_KERNELS_CPU_PRODUCTS_BLOCK_PANELS_INL_H_

#include <hwy/base.h>
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "weft/kernels/blocks.h"

// Instructions that Highway does not cover; includers must guard them.
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw")

namespace weft::kernels::cpu::block_panels {

constexpr int64_t kPrefetch = 64 * 64;  // bytes ahead
constexpr int kVectors = 8;             // k-blocks of a chunk
// For the forms of instructions with a mask: GCC 12 warns about the others, whose definitions read
// an uninitialised vector. It drops a mask of ones.
constexpr __mmask16 kAll = 0xFFFF;

template <int kLeft>
inline __m512i shift_left(__m512i x) {
  if constexpr (kLeft >= 0) return _mm512_slli_epi16(x, kLeft);
  return _mm512_srli_epi16(x, -kLeft);
}

// q | (bits & mask)
inline __m512i or_masked(__m512i q, __m512i bits, __m512i mask) {
  return _mm512_ternarylogic_epi64(q, bits, mask, 0xF8);
}

// Adds the fifth bits from kVector on: bit v of a byte is that of k-block v.
template <int kVector>
inline void add_fifth_bits(__m512i plane, __m512i (&q)[kVectors]) {
  q[kVector] = or_masked(q[kVector], shift_left<4 - kVector>(plane), _mm512_set1_epi8(16));
  if constexpr (kVector + 1 < kVectors) add_fifth_bits<kVector + 1>(plane, q);
}

// The same for bits 4 and 5, from two planes.
template <int kVector>
inline void add_two_bits(const __m512i (&planes)[2], __m512i (&q)[kVectors]) {
  const __m512i bits = shift_left<4 - 2 * (kVector % 4)>(planes[kVector / 4]);
  q[kVector] = or_masked(q[kVector], bits, _mm512_set1_epi8(48));
  if constexpr (kVector + 1 < kVectors) add_two_bits<kVector + 1>(planes, q);
}

// The 8 k-blocks of a chunk as bytes.
template <int kBits>
inline void unpack(const std::byte* from, __m512i (&q)[kVectors]) {
  const auto vector = [&](int i) { return _mm512_loadu_si512(from + 64 * i); };
  if constexpr (kBits == 8) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) q[v] = vector(v);
    return;
  }
  const __m512i lower = _mm512_set1_epi8(15);
#pragma GCC unroll 4
  for (int v = 0; v < kVectors / 2; ++v) {
    const __m512i both = vector(v);
    q[v] = _mm512_and_si512(both, lower);
    q[v + 4] = _mm512_and_si512(_mm512_srli_epi16(both, 4), lower);
  }
  if constexpr (kBits == 5) add_fifth_bits<0>(vector(4), q);
  if constexpr (kBits == 6) add_two_bits<0>({vector(4), vector(5)}, q);
}

inline __m512 halves(const std::byte* from) {
  return _mm512_maskz_cvtph_ps(kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
inline __m512 scaled(__m512 factor, __m512i integers) {
  return _mm512_mul_ps(factor, _mm512_maskz_cvtepi32_ps(kAll, integers));
}
inline __m128i sixteen_bytes(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// One panel. The scale and the offset of 16 rows, for one group of a chunk.
template <BlockType kType>
struct PanelReader {
  static constexpr BlockFormat kFormat = format_of(kType);
  static constexpr BlockPanelLayout kSizes = block_panel(kType, 0);

  explicit PanelReader(const std::byte* panel, const BlockPanelLayout& layout)
      : integers(panel), scales(panel + layout.scales_begin), outer(panel + layout.outer_begin) {}

  // The factor of nested scales or offsets of 256 columns.
  __m512 outer_scale(int64_t chunk) const { return halves(outer + chunk / 8 * kSizes.outer); }
  __m512 outer_offset(int64_t chunk) const { return halves(outer + chunk / 8 * kSizes.outer + 32); }
  __m512 scale(int64_t chunk, int group, __m512 factor) const {
    const std::byte* from = scales + chunk * kSizes.scales;
    if constexpr (!kFormat.nested) return halves(from);
    const __m128i bytes = sixteen_bytes(from + 16 * group);
    return scaled(factor, _mm512_maskz_cvtepi8_epi32(kAll, bytes));
  }
  __m512 offset(int64_t chunk, __m512 factor) const {
    const std::byte* from = scales + chunk * kSizes.scales;
    if constexpr (!kFormat.nested) return halves(from + 32);
    return scaled(factor, _mm512_maskz_cvtepu8_epi32(kAll, sixteen_bytes(from + 16)));
  }
  void prefetch(int64_t chunk) const {
    const auto lines = [](const std::byte* from, int64_t bytes) {
      for (int64_t i = 0; i < bytes; i += 64) {
        _mm_prefetch(reinterpret_cast<const char*>(from + kPrefetch + i), _MM_HINT_T0);
      }
    };
    lines(integers + chunk * kSizes.integers, kSizes.integers);
    lines(scales + chunk * kSizes.scales, kSizes.scales);
  }

  const std::byte *integers, *scales, *outer;
};

}  // namespace weft::kernels::cpu::block_panels

HWY_POP_ATTRIBUTES

#endif  // WEFT_KERNELS_CPU_PRODUCTS_BLOCK_PANELS_INL_H_
