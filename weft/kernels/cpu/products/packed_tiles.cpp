#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>

#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/cpu/products/tile_config.h"

// Instructions that Highway does not cover, guarded by has_bf16_tiles() and has_int8_tiles().
HWY_PUSH_ATTRIBUTES("avx512f,amx-tile,amx-int8,amx-bf16")

namespace weft::kernels::cpu {
namespace {

// Sixteen consecutive k-blocks of a panel form a tile. Weights use tiles 6 and 7, rows of x tiles 4
// and 5, sums tiles 0 to 3.
constexpr int64_t kTileBytes = kTile * kKBlockBytes;

// Tile products. Tile numbers are part of the instruction.
struct IntegerTiles {
  static void dot_046() { _tile_dpbssd(0, 4, 6); }
  static void dot_147() { _tile_dpbssd(1, 4, 7); }
  static void dot_246() { _tile_dpbssd(2, 4, 6); }
  static void dot_347() { _tile_dpbssd(3, 4, 7); }
  static void dot_256() { _tile_dpbssd(2, 5, 6); }
  static void dot_357() { _tile_dpbssd(3, 5, 7); }
};

struct Bf16Tiles {
  static void dot_046() { _tile_dpbf16ps(0, 4, 6); }
  static void dot_147() { _tile_dpbf16ps(1, 4, 7); }
  static void dot_246() { _tile_dpbf16ps(2, 4, 6); }
  static void dot_347() { _tile_dpbf16ps(3, 4, 7); }
  static void dot_256() { _tile_dpbf16ps(2, 5, 6); }
  static void dot_357() { _tile_dpbf16ps(3, 5, 7); }
};

// A tile load reads all its k-blocks at once, so the next group is prefetched one group ahead.
inline void prefetch_next(const PackedBlock& b, const std::byte* tile) {
  if (!b.is_first || b.next_offset == 0) return;
  const char* next = reinterpret_cast<const char*>(tile) + b.next_offset;
  for (int64_t i = 0; i < kTileBytes; i += kKBlockBytes) _mm_prefetch(next + i, _MM_HINT_T0);
}

// Up to 16 rows and kPanels panels.
template <class Op, int kPanels>
void multiply_low(const PackedBlock& b, int64_t first) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::byte* w = b.panels + first * b.panel_bytes;
  for (int64_t i = 0; i < b.k_blocks; i += kTile) {
    const std::byte* k_block = w + i * kKBlockBytes;
    _tile_loadd(4, b.x + 4 * i, b.x_stride);
    prefetch_next(b, k_block);
    _tile_loadd(6, k_block, kKBlockBytes);
    Op::dot_046();
    if constexpr (kPanels > 1) {
      prefetch_next(b, k_block + b.panel_bytes);
      _tile_loadd(7, k_block + b.panel_bytes, kKBlockBytes);
      Op::dot_147();
    }
    if constexpr (kPanels > 2) {
      prefetch_next(b, k_block + 2 * b.panel_bytes);
      _tile_loadd(6, k_block + 2 * b.panel_bytes, kKBlockBytes);
      Op::dot_246();
      prefetch_next(b, k_block + 3 * b.panel_bytes);
      _tile_loadd(7, k_block + 3 * b.panel_bytes, kKBlockBytes);
      Op::dot_347();
    }
  }
  auto* sums = static_cast<int32_t*>(b.sums) + first * kTile;
  const int64_t stride = b.count * kKBlockBytes;
  _tile_stored(0, sums, stride);
  if constexpr (kPanels > 1) _tile_stored(1, sums + kTile, stride);
  if constexpr (kPanels > 2) {
    _tile_stored(2, sums + 2 * kTile, stride);
    _tile_stored(3, sums + 3 * kTile, stride);
  }
}

// 17 to 32 rows and up to two panels.
template <class Op, bool kPair>
void multiply_high(const PackedBlock& b, int64_t first) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::byte *w = b.panels + first * b.panel_bytes, *lower = b.x + kTile * b.x_stride;
  for (int64_t i = 0; i < b.k_blocks; i += kTile) {
    const std::byte* k_block = w + i * kKBlockBytes;
    prefetch_next(b, k_block);
    _tile_loadd(4, b.x + 4 * i, b.x_stride);
    _tile_loadd(6, k_block, kKBlockBytes);
    Op::dot_046();
    _tile_loadd(5, lower + 4 * i, b.x_stride);
    Op::dot_256();
    if constexpr (kPair) {
      prefetch_next(b, k_block + b.panel_bytes);
      _tile_loadd(7, k_block + b.panel_bytes, kKBlockBytes);
      Op::dot_147();
      Op::dot_357();
    }
  }
  auto* sums = static_cast<int32_t*>(b.sums) + first * kTile;
  const int64_t stride = b.count * kKBlockBytes;
  _tile_stored(0, sums, stride);
  _tile_stored(2, sums + kTile * b.count * kTile, stride);
  if constexpr (kPair) {
    _tile_stored(1, sums + kTile, stride);
    _tile_stored(3, sums + kTile * b.count * kTile + kTile, stride);
  }
}

template <class Op>
void multiply(const PackedBlock& b) {
  int64_t p = 0;
  if (b.rows > kTile) {
    for (; p + 2 <= b.count; p += 2) multiply_high<Op, true>(b, p);
    if (p < b.count) multiply_high<Op, false>(b, p);
    return;
  }
  for (; p + 4 <= b.count; p += 4) multiply_low<Op, 4>(b, p);
  for (; p + 2 <= b.count; p += 2) multiply_low<Op, 2>(b, p);
  if (p < b.count) multiply_low<Op, 1>(b, p);
}

}  // namespace
}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

namespace weft::kernels::cpu {

PackedKernel tile_kernel(DType type) {
  const bool is_integer = type == DType::kI8;
  return {.name = "tiles",
          .type = type,
          .form = is_integer ? RowForm::kI8 : RowForm::kBF16,
          .max_rows = 2 * kTile,
          .row_step = kTile,
          .k_step = kTile,
          .panels = [](int64_t rows) -> int64_t { return rows > kTile ? 2 : 4; },
          .multiply = is_integer ? multiply<IntegerTiles> : multiply<Bf16Tiles>,
          // Tiles of x and of sums have at most as many rows as x.
          .open =
              [](int64_t rows) {
                const TileShape rows_of_x{.rows = std::min(rows, kTile)};
                open_tiles(rows_of_x, rows_of_x, {});
              },
          .close = close_tiles};
}

}  // namespace weft::kernels::cpu
