// Products with weights in blocks by AMX tiles, for several rows.
//
// Integers of weights and of x are exact in BF16, and so are their products and sums over a group
// of columns in F32. A tile of BF16 holds 32 columns, a whole group, so that the products of 16
// rows and 16 outputs take one instruction, whose result needs no conversion before scales are
// applied.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_BLOCK_TILES_H_
#define WEFT_KERNELS_CPU_PRODUCTS_BLOCK_TILES_H_

#include <cstdint>

#include "weft/kernels/cpu/products/block_kernel.h"
#include "weft/kernels/cpu/products/tile_config.h"

namespace weft::kernels::cpu {

// Rows of x, quantised, in tiles of 16 rows and a chunk of columns: integers as BF16, the columns
// 4 i to 4 i + 3 in the order 0, 2, 1, 3; and the scales of the rows, then the sums of their
// integers. Tiles of a row block follow one another. Rows are padded to whole tiles with zeros.
struct TiledRows {
  uint16_t* tiles;  // BF16
  float* scales;
  int64_t rows, chunks;

  static constexpr int64_t kTileElements = kTile * kChunkCols, kTileScales = 2 * kTile;
  uint16_t* tile(int64_t t, int64_t chunk) const {
    return tiles + (t * chunks + chunk) * kTileElements;
  }
  float* scales_of(int64_t t, int64_t chunk) const {
    return scales + (t * chunks + chunk) * kTileScales;
  }
};

// Quantises tile t of rows of x.
void quantise_tile(const Matrix<float>& x, int64_t t, const TiledRows& to);

// sums [rows, stride] = x W^T for the rows of tiles [begin, end) and up to kTilePanels panels.
inline constexpr int64_t kTilePanels = 8;
struct TiledProduct {
  const TiledRows& x;
  int64_t begin, end;
  BlockType type;
  BlockPanelLayout layout;
  const std::byte* panels;
  int64_t count;
  float* sums;
  int64_t stride;
};
void multiply_tiles(const TiledProduct& p);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_BLOCK_TILES_H_
