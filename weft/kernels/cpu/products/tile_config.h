// Configuration of the AMX tiles of the calling thread.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_TILE_CONFIG_H_
#define WEFT_KERNELS_CPU_PRODUCTS_TILE_CONFIG_H_

#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdint>

// Instructions that Highway does not cover; includers must guard them.
HWY_PUSH_ATTRIBUTES("amx-tile")

namespace weft::kernels::cpu {

// A tile has 16 rows of 64 bytes: 16 F32, 32 BF16 or 64 I8.
inline constexpr int64_t kTile = 16, kTileRowBytes = 64;

struct TileShape {
  int64_t rows = kTile, row_bytes = kTileRowBytes;
};

// Configures tiles 0 to 3 as `sums`, 4 and 5 as `left`, 6 and 7 as `right` operands of products.
inline void open_tiles(TileShape sums, TileShape left, TileShape right) {
  // Volatile, because GCC 12 assumes that the instruction reads only the first bytes.
  alignas(64) volatile uint8_t config[64] = {1};
  for (int tile = 0; tile < 8; ++tile) {
    const TileShape& shape = tile < 4 ? sums : tile < 6 ? left : right;
    config[16 + 2 * tile] = static_cast<uint8_t>(shape.row_bytes);
    config[48 + tile] = static_cast<uint8_t>(shape.rows);
  }
  _tile_loadconfig(const_cast<uint8_t*>(config));
}

inline void open_tiles() { open_tiles({}, {}, {}); }

inline void close_tiles() { _tile_release(); }

}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

#endif  // WEFT_KERNELS_CPU_PRODUCTS_TILE_CONFIG_H_
