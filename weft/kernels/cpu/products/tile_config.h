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

// Configures full tiles, except that the first `fewer` tiles have min(rows, kTile) rows.
inline void open_tiles(int fewer = 0, int64_t rows = kTile) {
  // Volatile, because GCC 12 assumes that the instruction reads only the first bytes.
  alignas(64) volatile uint8_t config[64] = {1};
  for (int tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = kTileRowBytes;
    config[48 + tile] = static_cast<uint8_t>(tile < fewer ? std::min(rows, kTile) : kTile);
  }
  _tile_loadconfig(const_cast<uint8_t*>(config));
}

inline void close_tiles() { _tile_release(); }

}  // namespace weft::kernels::cpu

HWY_POP_ATTRIBUTES

#endif  // WEFT_KERNELS_CPU_PRODUCTS_TILE_CONFIG_H_
