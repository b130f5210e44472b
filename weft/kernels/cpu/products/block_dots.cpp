#include <hwy/base.h>
#include <immintrin.h>

#include <cstring>

#include "weft/kernels/cpu/products/block_kernel.h"
#include "weft/kernels/cpu/products/block_panels-inl.h"

// Instructions that Highway does not cover, guarded by has_byte_dots().
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512vnni")

namespace weft::kernels::cpu {
namespace {

using namespace block_panels;

// A chunk of kPanels panels.
template <BlockType kType, int kPanels>
struct ChunkOfPanels {
  static constexpr BlockFormat kFormat = format_of(kType);
  static constexpr int kGroupBlocks = kFormat.group / 4;

  // start + the products of the k-blocks from kFirst on and the integers of x. A single sum is
  // split in two, because an addition waits for the one before.
  template <int kFirst, bool kSplit>
  HWY_INLINE void add_dots(const InputChunk& x, __m512i start, __m512i (&dot)[kPanels]) const {
    __m512i odd[kPanels];
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      dot[p] = start;
      odd[p] = _mm512_setzero_si512();
    }
#pragma GCC unroll 8
    for (int v = kFirst; v < kFirst + kGroupBlocks; ++v) {
      int32_t word = 0;
      std::memcpy(&word, x.integers + 4 * v, sizeof(word));
      const __m512i columns = _mm512_set1_epi32(word);
#pragma GCC unroll 8
      for (int p = 0; p < kPanels; ++p) {
        __m512i& sum = kSplit && v % 2 == 1 ? odd[p] : dot[p];
        sum = _mm512_dpbusd_epi32(sum, q[p][v], columns);
      }
    }
    if constexpr (kSplit) {
#pragma GCC unroll 8
      for (int p = 0; p < kPanels; ++p) dot[p] = _mm512_add_epi32(dot[p], odd[p]);
    }
  }

  // Adds the products of one group of columns and a row of x, whose k-blocks begin at kFirst.
  template <int kFirst, bool kSplit>
  HWY_INLINE void add_group(const InputChunk& x, __m512 (&sum)[kPanels]) const {
    constexpr int kGroup = kFirst / kGroupBlocks, kSums = kFormat.group == 32 ? 0 : 1 + kGroup;
    __m512i start = _mm512_setzero_si512();
    if constexpr (!kFormat.has_offset) {
      start = _mm512_set1_epi32(x.negated[kSums]);
      start = _mm512_maskz_slli_epi32(kAll, start, kFormat.zero_bits);
    }
    __m512i dot[kPanels];
    add_dots<kFirst, kSplit>(x, start, dot);
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      __m512 term = _mm512_mul_ps(scale[p][kGroup], _mm512_maskz_cvtepi32_ps(kAll, dot[p]));
      if constexpr (kFormat.has_offset) {
        term = _mm512_fmadd_ps(offset[p], _mm512_set1_ps(x.sum), term);
      }
      sum[p] = _mm512_fmadd_ps(_mm512_set1_ps(x.scale), term, sum[p]);
    }
  }

  HWY_INLINE void load(const PanelReader<kType>& panel, int p, int64_t chunk) {
    unpack<kFormat.bits>(panel.integers + chunk * panel.kSizes.integers, q[p]);
    if (kFormat.nested && chunk % 8 == 0) {
      outer_scale[p] = panel.outer_scale(chunk);
      if constexpr (kFormat.has_offset) outer_offset[p] = panel.outer_offset(chunk);
    }
    scale[p][0] = panel.scale(chunk, 0, outer_scale[p]);
    if constexpr (kFormat.group == 16) scale[p][1] = panel.scale(chunk, 1, outer_scale[p]);
    if constexpr (kFormat.has_offset) offset[p] = panel.offset(chunk, outer_offset[p]);
  }

  __m512i q[kPanels][kVectors];
  __m512 scale[kPanels][2], offset[kPanels];
  __m512 outer_scale[kPanels] = {}, outer_offset[kPanels] = {};
};

template <BlockType kType, int kRows, int kPanels>
[[gnu::noinline]] void multiply_panels(const BlockTile& tile, const BlockStep& step) {
  const std::byte* const panels = tile.panels + step.panel * tile.layout.bytes;
  const ChunkedRows x = tile.x.from_row(step.row);
  const bool prefetches = tile.is_first && step.row == 0;
  float* const sums = tile.sums + (step.row * tile.count + step.panel) * kPanelRows;
  const auto sums_of = [&](int row, int panel) {
    return sums + (row * tile.count + panel) * kPanelRows;
  };
  __m512 sum[kRows][kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      sum[r][p] = step.begin == 0 ? _mm512_setzero_ps() : _mm512_loadu_ps(sums_of(r, p));
    }
  }
  ChunkOfPanels<kType, kPanels> w;
  for (int64_t chunk = step.begin; chunk < step.end; ++chunk) {
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) {
      const PanelReader<kType> panel(panels + p * tile.layout.bytes, tile.layout);
      w.load(panel, p, chunk);
      if (prefetches) panel.prefetch(chunk);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const InputChunk& input = x.row(r)[chunk];
      w.template add_group<0, kRows == 1>(input, sum[r]);
      if constexpr (w.kFormat.group == 16) w.template add_group<4, false>(input, sum[r]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < kPanels; ++p) _mm512_storeu_ps(sums_of(r, p), sum[r][p]);
  }
}

// Rows by four, two and one; with four, two panels at a time.
template <BlockType kType>
struct MultiplyDots {
  static void run(const BlockTile& tile) {
    int64_t panel = 0;
    for (; panel + 2 <= tile.count && tile.rows >= 4; panel += 2) {
      for_each_step(tile, panel, [&](BlockStep step) {
        for (; step.row + 4 <= tile.rows; step.row += 4) multiply_panels<kType, 4, 2>(tile, step);
        rest(tile, step);
        ++step.panel;
        rest(tile, step);
      });
    }
    for (; panel < tile.count; ++panel) {
      for_each_step(tile, panel, [&](BlockStep step) {
        for (; step.row + 4 <= tile.rows; step.row += 4) multiply_panels<kType, 4, 1>(tile, step);
        rest(tile, step);
      });
    }
  }
  static void rest(const BlockTile& tile, BlockStep step) {
    if (step.row + 2 <= tile.rows) {
      multiply_panels<kType, 2, 1>(tile, step);
      step.row += 2;
    }
    if (step.row < tile.rows) multiply_panels<kType, 1, 1>(tile, step);
  }
};

}  // namespace
}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

namespace weft::kernels::cpu {

BlockKernel block_dot_kernel() {
  return {.name = "dots", .multiply = with_block_type<MultiplyDots>};
}

}  // namespace weft::kernels::cpu
