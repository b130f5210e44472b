// Quantised rows of x in tiles.
#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <limits>

#include "weft/kernels/cpu/products/block_tiles.h"

// Instructions that Highway does not cover, guarded by has_bf16_tiles().
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512bf16")

namespace weft::kernels::cpu {
namespace {

// For the forms of instructions with a mask; see block_panels-inl.h.
constexpr __mmask16 kAll = 0xFFFF;

struct Maximum {
  static __m512i of(__m512i a, __m512i b) { return _mm512_maskz_max_epi32(kAll, a, b); }
};
struct Sum {
  static __m512i of(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }
};

// The maximum or the sum of the 16 lanes of each of 16 vectors.
template <class Op>
inline __m512i reduce_each(__m512i (&v)[kTile]) {
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    v[i] = Op::of(_mm512_maskz_unpacklo_epi32(kAll, v[2 * i], v[2 * i + 1]),
                  _mm512_maskz_unpackhi_epi32(kAll, v[2 * i], v[2 * i + 1]));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    v[i] = Op::of(_mm512_maskz_unpacklo_epi64(0xFF, v[2 * i], v[2 * i + 1]),
                  _mm512_maskz_unpackhi_epi64(0xFF, v[2 * i], v[2 * i + 1]));
  }
  const auto halves_of = [&](__m512i x, __m512i y) {
    return Op::of(_mm512_maskz_shuffle_i32x4(kAll, x, y, 0x88),
                  _mm512_maskz_shuffle_i32x4(kAll, x, y, 0xDD));
  };
  return halves_of(halves_of(v[0], v[1]), halves_of(v[2], v[3]));
}

// The scales and factors of 16 rows whose max|x| is top; see QuantiseRows. Where the scale is NaN,
// the integers do not matter.
struct RowScales {
  explicit RowScales(__m512 top) {
    const __m512 limit = _mm512_set1_ps(127), largest = _mm512_set1_ps(kLargest);
    const __mmask16 is_finite = _mm512_cmp_ps_mask(top, largest, _CMP_LE_OQ);
    const __mmask16 is_usual =
        _mm512_mask_cmp_ps_mask(is_finite, top, _mm512_set1_ps(1e-30f), _CMP_GE_OQ);
    factor = _mm512_maskz_div_ps(is_usual, limit, top);
    scale = _mm512_mask_blend_ps(is_finite, _mm512_set1_ps(kNan),
                                 _mm512_maskz_div_ps(is_usual, top, limit));
  }
  static constexpr float kLargest = std::numeric_limits<float>::max();
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  __m512 factor, scale;
};

// A chunk of columns of up to 16 rows of x; others count as zeros.
struct TileColumns {
  TileColumns(const Matrix<float>& x, int64_t row, int64_t column)
      : data(x.row(row) + column), stride(x.stride), rows(std::min(kTile, x.rows - row)) {
    const int64_t cols = std::min(kChunkCols, x.cols - column);
    masks[0] = static_cast<__mmask16>((1u << std::min<int64_t>(cols, 16)) - 1);
    masks[1] = static_cast<__mmask16>((1u << std::max<int64_t>(cols - 16, 0)) - 1);
  }
  __m512 load(int64_t row, int half) const {
    const __mmask16 mask = row < rows ? masks[half] : 0;
    return _mm512_maskz_loadu_ps(mask, data + row * stride + 16 * half);
  }
  // max|x| of each row, or NaN. Magnitudes are ordered like their bits.
  __m512 largest() const {
    const __m512i magnitude = _mm512_set1_epi32(0x7FFFFFFF);
    const auto magnitudes = [&](int64_t row, int half) {
      return _mm512_and_si512(_mm512_castps_si512(load(row, half)), magnitude);
    };
    __m512i top[kTile];
#pragma GCC unroll 16
    for (int r = 0; r < kTile; ++r) top[r] = Maximum::of(magnitudes(r, 0), magnitudes(r, 1));
    return _mm512_castsi512_ps(reduce_each<Maximum>(top));
  }

  const float* data;
  int64_t stride, rows;
  __mmask16 masks[2];
};

// Words of 4 columns in the order 0, 2, 1, 3.
inline __m512i reordered(__m512bh x) {
  constexpr int kOrder = 0b11011000;
  const __m512i half = _mm512_shufflelo_epi16(reinterpret_cast<__m512i>(x), kOrder);
  return _mm512_shufflehi_epi16(half, kOrder);
}

void quantise_chunk(const TileColumns& x, uint16_t* to, float* scales) {
  const RowScales row(x.largest());
  alignas(64) float factors[kTile];
  _mm512_store_ps(factors, row.factor);
  _mm512_store_ps(scales, row.scale);
  __m512i sums[kTile];
#pragma GCC unroll 16
  for (int r = 0; r < kTile; ++r) {
    const __m512 factor = _mm512_set1_ps(factors[r]);
    const auto rounded = [&](int half) {
      return _mm512_maskz_cvtps_epi32(kAll, _mm512_mul_ps(x.load(r, half), factor));
    };
    const __m512i low = rounded(0), high = rounded(1);
    _mm512_store_si512(to + r * kChunkCols,
                       reordered(_mm512_cvtne2ps_pbh(_mm512_maskz_cvtepi32_ps(kAll, high),
                                                     _mm512_maskz_cvtepi32_ps(kAll, low))));
    sums[r] = _mm512_add_epi32(low, high);
  }
  _mm512_store_ps(scales + kTile, _mm512_maskz_cvtepi32_ps(kAll, reduce_each<Sum>(sums)));
}

}  // namespace

void quantise_tile(const Matrix<float>& x, int64_t t, const TiledRows& to) {
  for (int64_t c = 0; c < to.chunks; ++c) {
    quantise_chunk({x, t * kTile, c * kChunkCols}, to.tile(t, c), to.scales_of(t, c));
  }
}

}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES
