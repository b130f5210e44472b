// Building blocks of BF16 tile attention: products by AMX if available, else by AVX-512 dot
// products. Queries are lanes throughout. A block has two tiles of queries, a step eight tiles of
// keys.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_TILES_INL_H_
#define WEFT_KERNELS_CPU_PRODUCTS_TILES_INL_H_

#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "weft/core/bf16.h"
#include "weft/kernels/cpu/attention/attention_items.h"
#include "weft/kernels/cpu/dropout_columns.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/tile_config.h"

// Instructions that Highway does not cover, guarded by suits_tiles().
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,amx-tile,amx-bf16")
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // in GCC 12's own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace weft::kernels::cpu::tiles {

constexpr int64_t kDepth = 32;  // BF16 per tile row
constexpr int64_t kQueries = 2 * kTile;
constexpr int64_t kKeys = 128;  // per step

// Configures the AMX tiles of the calling thread, if available, for the lifetime of this object.
class Tiles {
 public:
  Tiles() {
    if (has_bf16_tiles()) open_tiles();
  }
  ~Tiles() {
    if (has_bf16_tiles()) close_tiles();
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

// Operands of C [32, 32] = A [32, depth] B [depth, 32], or C += A B: four tiles of C. A row of B
// holds pairs: element 2r of the depth in the lower half of a word, 2r + 1 in the upper.
struct TileProduct {
  const BF16* a;
  int64_t a_stride;
  const uint32_t* b;
  int64_t b_stride;
  float* c;
  int64_t c_stride;
};

inline void multiply_on_amx(const TileProduct& p, int64_t depth, bool add) {
  const int64_t a_bytes = p.a_stride * 2, b_bytes = p.b_stride * 4, c_bytes = p.c_stride * 4;
  float* lower = p.c + kTile * p.c_stride;
  if (add) {
    _tile_loadd(0, p.c, c_bytes);
    _tile_loadd(1, p.c + kTile, c_bytes);
    _tile_loadd(2, lower, c_bytes);
    _tile_loadd(3, lower + kTile, c_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t k = 0; k < depth; k += kDepth) {
    const BF16* a = p.a + k;
    const uint32_t* pairs = p.b + k / 2 * p.b_stride;
    _tile_loadd(4, a, a_bytes);
    _tile_loadd(5, a + kTile * p.a_stride, a_bytes);
    _tile_loadd(6, pairs, b_bytes);
    _tile_loadd(7, pairs + kTile, b_bytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, p.c, c_bytes);
  _tile_stored(1, p.c + kTile, c_bytes);
  _tile_stored(2, lower, c_bytes);
  _tile_stored(3, lower + kTile, c_bytes);
}

inline void multiply_by_dots(const TileProduct& p, int64_t depth, bool add) {
  constexpr int kRows = 8;  // with two vectors of sums each
  for (int64_t first = 0; first < 2 * kTile; first += kRows) {
    const BF16* a = p.a + first * p.a_stride;
    float* c = p.c + first * p.c_stride;
    __m512 left[kRows], right[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      left[r] = add ? _mm512_loadu_ps(c + r * p.c_stride) : _mm512_setzero_ps();
      right[r] = add ? _mm512_loadu_ps(c + r * p.c_stride + kTile) : _mm512_setzero_ps();
    }
    const uint32_t* pairs = p.b;
    for (int64_t k = 0; k < depth; k += 2, pairs += p.b_stride) {
      const auto b_left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(pairs));
      const auto b_right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(pairs + kTile));
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        int32_t word = 0;
        std::memcpy(&word, a + r * p.a_stride + k, sizeof(word));
        const auto pair = reinterpret_cast<__m512bh>(_mm512_set1_epi32(word));
        left[r] = _mm512_dpbf16_ps(left[r], pair, b_left);
        right[r] = _mm512_dpbf16_ps(right[r], pair, b_right);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      _mm512_storeu_ps(c + r * p.c_stride, left[r]);
      _mm512_storeu_ps(c + r * p.c_stride + kTile, right[r]);
    }
  }
}

inline void multiply_tiles(const TileProduct& p, int64_t depth, bool add) {
  has_bf16_tiles() ? multiply_on_amx(p, depth, add) : multiply_by_dots(p, depth, add);
}

// 2^x for x <= 0; 0 for -infinity.
inline __m512 exp2(__m512 x) {
  const __m512 bounded = _mm512_max_ps(x, _mm512_set1_ps(-200.0f));
  const __m512 whole = _mm512_roundscale_ps(bounded, _MM_FROUND_TO_NEAREST_INT);
  const __m512 r = _mm512_sub_ps(bounded, whole);
  __m512 p = _mm512_set1_ps(1.326472615e-3f);
  for (const float c : {9.671512991e-3f, 5.550733581e-2f, 2.402224243e-1f, 6.931470037e-1f, 1.0f}) {
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(c));
  }
  return _mm512_scalef_ps(p, whole);
}

// Rounds to nearest BF16; the result is in the upper halves.
inline __m512i rounded(__m512 x) {
  return _mm512_add_epi32(_mm512_castps_si512(x), _mm512_set1_epi32(0x8000));
}

// Packs two BF16 per word, the first one in the lower half.
inline __m512i pair_of(__m512 first, __m512 second) {
  return _mm512_or_si512(
      _mm512_srli_epi32(rounded(first), 16),
      _mm512_and_si512(rounded(second), _mm512_set1_epi32(static_cast<int>(0xFFFF0000u))));
}

inline void store_bf16(__m512 x, BF16* to) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to),
                     _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(x), 16)));
}

// The rows themselves if they fill a step, else a zero-padded copy.
inline Matrix<BF16> step_rows(Matrix<BF16> x, BF16* buffer) {
  if (x.rows == kKeys) return x;
  std::fill_n(buffer, kKeys * x.cols, BF16());
  for (int64_t j = 0; j < x.rows; ++j) std::copy_n(x.row(j), x.cols, buffer + j * x.cols);
  return {buffer, kKeys, x.cols, x.cols};
}

// to[f * kKeys + j] = x.row(j)[f], with zeros after the last row.
inline void transpose_step(Matrix<BF16> x, BF16* to) {
  for (int64_t f = 0; f < x.cols; ++f) {
    for (int64_t j = 0; j < x.rows; ++j) to[f * kKeys + j] = x.row(j)[f];
    std::fill_n(to + f * kKeys + x.rows, kKeys - x.rows, BF16());
  }
}

// Packs rows of a block as the right operand of a product over features: words[w * kQueries + i]
// holds features 2w and 2w + 1 of row i, zeros for missing rows.
inline void pair_features(Matrix<BF16> x, uint32_t* words) {
  for (int64_t w = 0; w < x.cols / 2; ++w) {
    for (int64_t i = 0; i < kQueries; ++i) {
      uint32_t word = 0;
      if (i < x.rows) std::memcpy(&word, x.row(i) + 2 * w, sizeof(word));
      words[w * kQueries + i] = word;
    }
  }
}

// Sets the scores [key, query] of masked keys to -infinity: keys from `keys` to `rows` and, if
// `causal`, keys after the query. The query in lane i is at index i + ahead relative to the first
// key.
inline void mask_scores(float* scores, int64_t keys, int64_t rows, bool causal, int64_t ahead) {
  constexpr float kHidden = -std::numeric_limits<float>::infinity();
  for (int64_t j = keys; j < rows; ++j) std::fill_n(scores + j * kQueries, kQueries, kHidden);
  for (int64_t j = 0; causal && j < keys; ++j) {
    const int64_t first = std::clamp<int64_t>(j - ahead, 0, kQueries);
    std::fill_n(scores + j * kQueries, first, kHidden);
  }
}

// Room for the dropout factors of a step and a block, [128, 32], of zeros, or null without dropout.
inline float* factor_buffer(const DropoutMask& dropout, Scratch& scratch) {
  if (!dropout) return nullptr;
  float* factors = scratch.allocate(kKeys * kQueries);
  std::fill_n(factors, kKeys * kQueries, 0.0f);
  return factors;
}

// The factors of the step that begins at key `key` and of `count` queries, those of rows from `row`
// on; nothing without a buffer for them.
inline void fill_factors(const DropoutMask& dropout, int64_t row, int64_t key, int64_t count,
                         float* factors) {
  static_assert(kKeys == kDropoutChunk);
  if (factors != nullptr) dropout_columns(dropout, row, key / kKeys, {factors, kQueries, count});
}

template <class T>
T* allocate(Scratch& scratch, int64_t count) {
  constexpr auto kPerFloat = static_cast<int64_t>(sizeof(float) / sizeof(T));
  return reinterpret_cast<T*>(scratch.allocate((count + kPerFloat - 1) / kPerFloat));
}

}  // namespace weft::kernels::cpu::tiles

#pragma GCC diagnostic pop
HWY_POP_ATTRIBUTES

#endif  // WEFT_KERNELS_CPU_PRODUCTS_TILES_INL_H_
