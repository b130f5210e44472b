#include <hwy/base.h>
#include <immintrin.h>

#include <cstring>

#include "weft/kernels/cpu/products/block_kernel.h"

// Highway 1.0.3 has no products of bytes; guarded by its detection of AVX2 and by has_avx_vnni().
HWY_PUSH_ATTRIBUTES("avx2,fma,f16c")

namespace weft::kernels::cpu {
namespace {

constexpr int kVectors = 8;  // k-blocks of a chunk; a vector holds 8 rows of one
constexpr int64_t kHalfBytes = 32, kHalfRows = 8;
constexpr int64_t kPrefetch = 192 * 64;  // bytes ahead

template <int kLeft>
inline __m256i shift_left(__m256i x) {
  if constexpr (kLeft >= 0) return _mm256_slli_epi16(x, kLeft);
  return _mm256_srli_epi16(x, -kLeft);
}

inline __m256i or_masked(__m256i q, __m256i bits, __m256i mask) {
  return _mm256_or_si256(q, _mm256_and_si256(bits, mask));
}

// Adds the fifth bits from kVector on: bit v of a byte is that of k-block v.
template <int kVector>
inline void add_fifth_bits(__m256i plane, __m256i (&q)[kVectors]) {
  q[kVector] = or_masked(q[kVector], shift_left<4 - kVector>(plane), _mm256_set1_epi8(16));
  if constexpr (kVector + 1 < kVectors) add_fifth_bits<kVector + 1>(plane, q);
}

// The same for bits 4 and 5, from two planes.
template <int kVector>
inline void add_two_bits(const __m256i (&planes)[2], __m256i (&q)[kVectors]) {
  const __m256i bits = shift_left<4 - 2 * (kVector % 4)>(planes[kVector / 4]);
  q[kVector] = or_masked(q[kVector], bits, _mm256_set1_epi8(48));
  if constexpr (kVector + 1 < kVectors) add_two_bits<kVector + 1>(planes, q);
}

inline __m256i load_half(const std::byte* from, int vector) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 64 * vector));
}

// Half of the rows of the 8 k-blocks of a chunk as unsigned bytes.
template <int kBits>
inline void unpack(const std::byte* from, __m256i (&q)[kVectors]) {
  if constexpr (kBits == 8) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) q[v] = load_half(from, v);
    return;
  }
  const __m256i lower = _mm256_set1_epi8(15);
#pragma GCC unroll 4
  for (int v = 0; v < kVectors / 2; ++v) {
    const __m256i both = load_half(from, v);
    q[v] = _mm256_and_si256(both, lower);
    q[v + 4] = _mm256_and_si256(_mm256_srli_epi16(both, 4), lower);
  }
  if constexpr (kBits == 5) add_fifth_bits<0>(load_half(from, 4), q);
  if constexpr (kBits == 6) add_two_bits<0>({load_half(from, 4), load_half(from, 5)}, q);
}

inline __m256i broadcast_word(const int8_t* p) {
  int32_t word = 0;
  std::memcpy(&word, p, sizeof(word));
  return _mm256_set1_epi32(word);
}

// Products of bytes are added in pairs to 16 bits. Integers of x have magnitudes up to 127, so that
// the sums of this number of k-blocks do not overflow.
constexpr int k_blocks_in_16_bits(int bits) {
  return bits == 4 ? 8 : bits == 5 ? 4 : bits == 6 ? 2 : 1;
}

// By AVX2. Integers of 8 bits are taken as signed ones, less zero.
template <int kBits>
struct PairDots {
  static constexpr bool kSubtractsZero = kBits == 8;

  static __m256i product(__m256i q, const int8_t* p) {
    const __m256i x = broadcast_word(p);
    if constexpr (kBits < 8) return _mm256_maddubs_epi16(q, x);
    const __m256i less_zero = _mm256_xor_si256(q, _mm256_set1_epi8(-128));
    return _mm256_maddubs_epi16(_mm256_abs_epi8(less_zero), _mm256_sign_epi8(x, less_zero));
  }
  // dot + the products of kCount k-blocks from kFirst on and the integers of a chunk.
  template <int kFirst, int kCount>
  static __m256i add(const __m256i (&q)[kVectors], const int8_t* p, __m256i dot) {
    constexpr int kStep = k_blocks_in_16_bits(kBits);
    const __m256i ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
    for (int v = kFirst; v < kFirst + kCount; v += kStep) {
      __m256i pairs = product(q[v], p + 4 * v);
#pragma GCC unroll 8
      for (int u = 1; u < kStep; ++u) {
        pairs = _mm256_add_epi16(pairs, product(q[v + u], p + 4 * (v + u)));
      }
      dot = _mm256_add_epi32(dot, _mm256_madd_epi16(pairs, ones));
    }
    return dot;
  }
};

// By AVX-VNNI. Not by its intrinsic, because a template is compiled for one instruction set.
template <int kBits>
struct ByteDots {
  static constexpr bool kSubtractsZero = false;

  static void multiply(__m256i& sum, __m256i q, const int8_t* p) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(q), "x"(broadcast_word(p)));
  }
  // In two sums, because an addition waits for the one before.
  template <int kFirst, int kCount>
  static __m256i add(const __m256i (&q)[kVectors], const int8_t* p, __m256i dot) {
    __m256i odd = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int v = kFirst; v < kFirst + kCount; v += 2) {
      multiply(dot, q[v], p + 4 * v);
      multiply(odd, q[v + 1], p + 4 * (v + 1));
    }
    return _mm256_add_epi32(dot, odd);
  }
};

inline __m256 halves(const std::byte* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
inline __m128i eight_bytes(const std::byte* from) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
}

// Half of the rows of one panel: the scales and the offsets, for one group of a chunk.
template <BlockType kType>
struct HalfReader {
  static constexpr BlockFormat kFormat = format_of(kType);
  static constexpr BlockPanelLayout kSizes = block_panel(kType, 0);

  HalfReader(const std::byte* panel, const BlockPanelLayout& layout, int64_t half)
      : integers(panel + half * kHalfBytes),
        scales(panel + layout.scales_begin + half * (kFormat.nested ? 8 : 16)),
        outer(panel + layout.outer_begin + half * 16) {}

  __m256 scale(int64_t chunk, int group) const {
    const std::byte* from = scales + chunk * kSizes.scales;
    if constexpr (!kFormat.nested) return halves(from);
    const __m256i bytes = _mm256_cvtepi8_epi32(eight_bytes(from + 16 * group));
    return _mm256_mul_ps(halves(outer + chunk / 8 * kSizes.outer), _mm256_cvtepi32_ps(bytes));
  }
  __m256 offset(int64_t chunk) const {
    const std::byte* from = scales + chunk * kSizes.scales;
    if constexpr (!kFormat.nested) return halves(from + 32);
    const __m256i bytes = _mm256_cvtepu8_epi32(eight_bytes(from + 16));
    return _mm256_mul_ps(halves(outer + chunk / 8 * kSizes.outer + 32), _mm256_cvtepi32_ps(bytes));
  }
  void prefetch(int64_t chunk) const {
    const std::byte* from = integers + chunk * kSizes.integers + kPrefetch;
    for (int64_t i = 0; i < kSizes.integers; i += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(from + i), _MM_HINT_T0);
    }
  }

  const std::byte *integers, *scales, *outer;
};

// Adds the products of one group of columns, whose k-blocks begin at kFirst.
template <template <int> class Dots, BlockType kType, int kRows, int kFirst>
inline void add_group(const ChunkedRows& x, int64_t chunk, const HalfReader<kType>& panel,
                      const __m256i (&q)[kVectors], __m256 (&sum)[kRows]) {
  constexpr BlockFormat kFormat = format_of(kType);
  constexpr int kCount = kFormat.group / 4, kIndex = kFormat.group == 32 ? 0 : 1 + kFirst / kCount;
  const __m256 scale = panel.scale(chunk, kFirst / kCount);
  [[maybe_unused]] __m256 offset;
  if constexpr (kFormat.has_offset) offset = panel.offset(chunk);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const InputChunk& p = x.row(r)[chunk];
    __m256i dot = _mm256_setzero_si256();
    if constexpr (!kFormat.has_offset && !Dots<kFormat.bits>::kSubtractsZero) {
      const __m256i negated = _mm256_set1_epi32(p.negated[kIndex]);
      dot = _mm256_slli_epi32(negated, kFormat.zero_bits);
    }
    dot = Dots<kFormat.bits>::template add<kFirst, kCount>(q, p.integers, dot);
    __m256 term = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(dot));
    if constexpr (kFormat.has_offset) {
      term = _mm256_fmadd_ps(offset, _mm256_set1_ps(p.sum), term);
    }
    sum[r] = _mm256_fmadd_ps(_mm256_set1_ps(p.scale), term, sum[r]);
  }
}

// The products of half of the rows of a panel.
template <template <int> class Dots, BlockType kType, int kRows>
[[gnu::noinline]] void multiply_half(const BlockTile& tile, const BlockStep& step, int64_t half) {
  constexpr BlockFormat kFormat = format_of(kType);
  const HalfReader<kType> panel(tile.panels + step.panel * tile.layout.bytes, tile.layout, half);
  const ChunkedRows x = tile.x.from_row(step.row);
  const bool prefetches = tile.is_first && step.row == 0 && half == 0;
  const int64_t stride = tile.count * kPanelRows;
  float* const sums = tile.sums + step.row * stride + step.panel * kPanelRows + half * kHalfRows;
  __m256 sum[kRows];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    sum[r] = step.begin == 0 ? _mm256_setzero_ps() : _mm256_loadu_ps(sums + r * stride);
  }
  for (int64_t chunk = step.begin; chunk < step.end; ++chunk) {
    __m256i q[kVectors];
    unpack<kFormat.bits>(panel.integers + chunk * panel.kSizes.integers, q);
    if (prefetches) panel.prefetch(chunk);
    add_group<Dots, kType, kRows, 0>(x, chunk, panel, q, sum);
    if constexpr (kFormat.group == 16) add_group<Dots, kType, kRows, 4>(x, chunk, panel, q, sum);
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) _mm256_storeu_ps(sums + r * stride, sum[r]);
}

// Rows from step.row on, by 4, 2 and 1.
template <template <int> class Dots, BlockType kType, int kRows = 4>
inline void multiply_rows(const BlockTile& tile, BlockStep step, int64_t half) {
  for (; step.row + kRows <= tile.rows; step.row += kRows) {
    multiply_half<Dots, kType, kRows>(tile, step, half);
  }
  if constexpr (kRows > 1) multiply_rows<Dots, kType, kRows / 2>(tile, step, half);
}

template <template <int> class Dots, BlockType kType>
void multiply_panels(const BlockTile& tile) {
  for (int64_t panel = 0; panel < tile.count; ++panel) {
    for_each_step(tile, panel, [&](const BlockStep& step) {
      multiply_rows<Dots, kType>(tile, step, 0);
      multiply_rows<Dots, kType>(tile, step, 1);
    });
  }
}

template <BlockType kType>
struct MultiplyPairs {
  static void run(const BlockTile& tile) { multiply_panels<PairDots, kType>(tile); }
};

template <BlockType kType>
struct MultiplyBytes {
  static void run(const BlockTile& tile) { multiply_panels<ByteDots, kType>(tile); }
};

}  // namespace
}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

namespace weft::kernels::cpu {

BlockKernel block_byte_kernel() {
  return {.name = "bytes", .multiply = with_block_type<MultiplyBytes>};
}

BlockKernel block_pair_kernel() {
  return {.name = "pairs", .multiply = with_block_type<MultiplyPairs>};
}

}  // namespace weft::kernels::cpu
