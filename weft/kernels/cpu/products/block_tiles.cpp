#include "weft/kernels/cpu/products/block_tiles.h"

#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>

#include "weft/kernels/cpu/products/block_operands-inl.h"

// Instructions that Highway does not cover, guarded by has_bf16_tiles().
HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,amx-tile,amx-bf16")

namespace weft::kernels::cpu {
namespace {

using namespace block_panels;

constexpr int kRowGroup = 8;                               // rows whose sums are in registers
constexpr int64_t kProducts = kTile * kPair * kPanelRows;  // of a unit
static_assert(kUnits / 2 * kRowGroup == kTile);

// What is multiplied at a time: a tile of rows and the operands of up to two panels.
struct Step {
  const Operands* w;
  TiledRows x;
  int64_t tile, chunk;  // chunk: the first one
  int64_t rows = 0;
  int units = 0;
  bool is_first = false;  // sums begin
  float* products;        // [kUnits, kTile, kPair, 16]
  float* sums;
  int64_t stride;
};

// Products that tiles 0 to 3 hold, of up to two units. They are stored when the next ones begin:
// an instruction of tiles takes 52 cycles, but the unit of tiles can begin one every 16.
struct Pending {
  float* to = nullptr;
  int units = 0;
};

template <int kPanels>
inline void store_first(const Pending& done) {
  constexpr int64_t kStride = sizeof(float) * kPair * kPanelRows;
  if (done.units < 1) return;
  _tile_stored(0, done.to, kStride);
  if constexpr (kPanels > 1) _tile_stored(1, done.to + kPanelRows, kStride);
}

template <int kPanels>
inline void store_second(const Pending& done) {
  constexpr int64_t kStride = sizeof(float) * kPair * kPanelRows;
  if (done.units < 2) return;
  _tile_stored(2, done.to + kProducts, kStride);
  if constexpr (kPanels > 1) _tile_stored(3, done.to + kProducts + kPanelRows, kStride);
}

// The products of units u and u + 1.
template <int kGroups, int kPanels>
inline void multiply_units(const Step& s, int u, Pending& pending) {
  const uint16_t* x = s.x.tile(s.tile, s.chunk + u / kGroups);
  _tile_loadd(4, x, kTileRowBytes);
  _tile_loadd(6, s.w->q[u][0], kTileRowBytes);
  if constexpr (kPanels > 1) _tile_loadd(7, s.w->q[u][1], kTileRowBytes);
  store_first<kPanels>(pending);
  _tile_zero(0);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (kPanels > 1) {
    _tile_zero(1);
    _tile_dpbf16ps(1, 4, 7);
  }
  const bool both = u + 1 < s.units;
  if (both) {
    _tile_loadd(5, x + (kGroups == 2 ? kChunkCols / 2 : kElements), kTileRowBytes);
    _tile_loadd(6, s.w->q[u + 1][0], kTileRowBytes);
    if constexpr (kPanels > 1) _tile_loadd(7, s.w->q[u + 1][1], kTileRowBytes);
  }
  store_second<kPanels>(pending);
  if (both) {
    _tile_zero(2);
    _tile_dpbf16ps(2, 5, 6);
    if constexpr (kPanels > 1) {
      _tile_zero(3);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  pending = {s.products + u * kProducts, both ? 2 : 1};
}

// Adds the products of 8 rows, of all units in order, with their scales.
template <int kGroups, bool kOffset, int kPanels>
inline void add_products(const Step& s, int64_t row) {
  const float* products = s.products + row * kPair * kPanelRows;
  float* const sums = s.sums + row * s.stride;
  __m512 sum[kRowGroup][kPanels];
#pragma GCC unroll 8
  for (int r = 0; r < kRowGroup; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
      const float* from = sums + r * s.stride + p * kPanelRows;
      sum[r][p] = s.is_first ? _mm512_setzero_ps() : _mm512_loadu_ps(from);
    }
  }
  for (int u = 0; u < s.units; ++u, products += kProducts) {
    const float* x = s.x.scales_of(s.tile, s.chunk + u / kGroups) + row;
    __m512 scale[kPanels], offset[kPanels];
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
      scale[p] = _mm512_load_ps(s.w->scale[u][p]);
      if constexpr (kOffset) offset[p] = _mm512_load_ps(s.w->offset[u][p]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRowGroup; ++r) {
      const __m512 x_scale = _mm512_set1_ps(x[r]);
#pragma GCC unroll 2
      for (int p = 0; p < kPanels; ++p) {
        const float* dot = products + (r * kPair + p) * kPanelRows;
        __m512 term = _mm512_mul_ps(scale[p], _mm512_load_ps(dot));
        if constexpr (kOffset) {
          term = _mm512_fmadd_ps(offset[p], _mm512_set1_ps(x[kTile + r]), term);
        }
        sum[r][p] = _mm512_fmadd_ps(x_scale, term, sum[r][p]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRowGroup; ++r) {
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
      _mm512_storeu_ps(sums + r * s.stride + p * kPanelRows, sum[r][p]);
    }
  }
}

// Multiplies one step while the products of the one before are added: the units of tiles and of
// vectors work at the same time.
template <int kGroups, bool kOffset, int kPanels>
[[gnu::noinline]] void multiply_and_add(const Step& next, const Step& last, Pending& pending) {
  if (next.units == 0) {
    store_first<kPanels>(pending);
    store_second<kPanels>(pending);
  }
#pragma GCC unroll 1
  for (int k = 0; k < kUnits / 2; ++k) {
    if (2 * k < next.units) multiply_units<kGroups, kPanels>(next, 2 * k, pending);
    if (k * kRowGroup < last.rows) {
      add_products<kGroups, kOffset, kPanels>(last, k * kRowGroup);
    }
  }
}

// Panels from `panel` on, kPanels at a time. Columns in the outer loop: the operands of a step are
// used for all rows, and the rows of x for all panels, while the caches hold them.
template <BlockType kType, int kPanels>
void multiply_panels(const TiledProduct& p, int64_t panel) {
  constexpr BlockFormat kFormat = format_of(kType);
  constexpr int kGroups = kChunkCols / kFormat.group, kChunks = kUnits / kGroups;
  alignas(64) Operands operands[2];
  alignas(64) float products[2][kUnits * kProducts];
  Step last{};
  Pending pending;
  int turn = 0, buffer = 0;
  const auto run = [&](const Step& next) {
    multiply_and_add<kGroups, kFormat.has_offset, kPanels>(next, last, pending);
    last = next;
  };
  for (int64_t chunk = 0; chunk < p.x.chunks; chunk += kChunks) {
    const int64_t end = std::min(chunk + kChunks, p.x.chunks);
    for (int64_t first = panel; first + kPanels <= p.count; first += kPanels, turn ^= 1) {
      for (int i = 0; i < kPanels; ++i) {
        const PanelReader<kType> reader(p.panels + (first + i) * p.layout.bytes, p.layout);
        unpack_panel<kType>(reader, chunk, end, i, operands[turn]);
      }
      for (int64_t tile = p.begin; tile < p.end; ++tile, buffer ^= 1) {
        run({.w = &operands[turn],
             .x = p.x,
             .tile = tile,
             .chunk = chunk,
             .rows = std::min(kTile, p.x.rows - tile * kTile),
             .units = static_cast<int>(end - chunk) * kGroups,
             .is_first = chunk == 0,
             .products = products[buffer],
             .sums = p.sums + (tile - p.begin) * kTile * p.stride + first * kPanelRows,
             .stride = p.stride});
      }
    }
  }
  run({});
}

template <BlockType kType>
struct MultiplyTiles {
  static void run(const TiledProduct& p) {
    constexpr int64_t kGroup = format_of(kType).group;
    open_tiles({}, {.row_bytes = 2 * kGroup}, {.rows = kGroup / 2});
    if (p.count >= kPair) multiply_panels<kType, kPair>(p, 0);
    if (p.count % kPair != 0) multiply_panels<kType, 1>(p, p.count - 1);
    close_tiles();
  }
};

}  // namespace

void multiply_tiles(const TiledProduct& p) { with_block_type<MultiplyTiles>(p); }

}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES
