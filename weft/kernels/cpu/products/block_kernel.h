// Kernels of products with block-quantised weights. A kernel multiplies a few rows by a few panels
// of weights; the surrounding loops are shared.
#ifndef WEFT_KERNELS_CPU_PRODUCTS_BLOCK_KERNEL_H_
#define WEFT_KERNELS_CPU_PRODUCTS_BLOCK_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/kernels/packed.h"

namespace weft::kernels::cpu {

// 32 columns of a row of x, quantised: a cache line.
struct alignas(64) InputChunk {
  int8_t integers[kChunkCols];
  float scale;
  float sum;           // of the integers
  int32_t negated[3];  // minus the sums of all 32 integers, of the first and of the last 16
};

// Quantised rows of x.
struct ChunkedRows {
  InputChunk* data;
  int64_t chunks;
  int64_t stride;  // in chunks

  InputChunk* row(int64_t i) const { return data + i * stride; }
  ChunkedRows from_row(int64_t i) const { return {row(i), chunks, stride}; }
};

inline constexpr int64_t kMaxBlockRows = 32;
inline constexpr int64_t kMaxBlockSums = 1024;

// sums = x W^T for `rows` rows of x, up to kMaxBlockRows, and `count` panels of weights.
struct BlockTile {
  ChunkedRows x;
  int64_t rows;
  BlockType type;
  BlockPanelLayout layout;
  const std::byte* panels;
  int64_t count;
  bool is_first;  // the panels are not cached
  float* sums;    // [rows, 16 * count]; capacity kMaxBlockSums
};

// What is multiplied at a time: chunks [begin, end) of a panel and of rows from `row` on. Sums
// continue those of the chunks before.
struct BlockStep {
  int64_t panel, begin, end, row = 0;
};

// Calls body(step) for steps that cover the columns of a panel. Several rows use as many chunks of
// weights at a time as fit the L1 cache; few rows stream all.
template <class Body>
inline void for_each_step(const BlockTile& tile, int64_t panel, Body body) {
  constexpr int64_t kStreamedRows = 4, kChunks = 16;  // whole outer scales
  const int64_t chunks = tile.x.chunks, size = tile.rows > kStreamedRows ? kChunks : chunks;
  for (int64_t begin = 0; begin < chunks; begin += size) {
    body(BlockStep{panel, begin, begin + size < chunks ? begin + size : chunks});
  }
}

struct BlockKernel {
  std::string_view name;
  void (*multiply)(const BlockTile& tile);
  void (*product)(const PackedProduct& p) = nullptr;  // a whole product, in place of `multiply`
};

// By AMX, for several rows; requires has_bf16_tiles().
BlockKernel block_tile_kernel();
// By AVX-512 dot products of bytes; requires has_byte_dots().
BlockKernel block_dot_kernel();
// By AVX-VNNI, dot products of bytes in 256 bits; requires has_avx_vnni().
BlockKernel block_byte_kernel();
// By AVX2 with FMA and F16C, which Highway's AVX2 implies.
BlockKernel block_pair_kernel();

// All kernels for this processor, the best one first; none without AVX2. Their bits are the same.
std::vector<BlockKernel> block_kernels();
// Computes a product, all of whose weights are in blocks, with a given kernel or the best one.
void block_product(const PackedProduct& p, const BlockKernel& kernel);
void block_product(const PackedProduct& p);

// Calls Multiply<kType>::run(tile) for the type of the weights.
template <template <BlockType> class Multiply, class Tile = BlockTile>
void with_block_type(const Tile& tile) {
  switch (tile.type) {
    case BlockType::kQ4_0: return Multiply<BlockType::kQ4_0>::run(tile);
    case BlockType::kQ4_1: return Multiply<BlockType::kQ4_1>::run(tile);
    case BlockType::kQ5_0: return Multiply<BlockType::kQ5_0>::run(tile);
    case BlockType::kQ5_1: return Multiply<BlockType::kQ5_1>::run(tile);
    case BlockType::kQ8_0: return Multiply<BlockType::kQ8_0>::run(tile);
    case BlockType::kQ4_K: return Multiply<BlockType::kQ4_K>::run(tile);
    case BlockType::kQ5_K: return Multiply<BlockType::kQ5_K>::run(tile);
    case BlockType::kQ6_K: return Multiply<BlockType::kQ6_K>::run(tile);
  }
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PRODUCTS_BLOCK_KERNEL_H_
