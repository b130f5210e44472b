// Weights in blocks of integers of 4 to 8 bits that share scales, as GGUF files hold them: their
// types, and their layout when packed for inference, at the size of the file.
#ifndef WEFT_KERNELS_BLOCKS_H_
#define WEFT_KERNELS_BLOCKS_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Types of GGUF; the numbers are those of its files.
enum class BlockType : uint8_t {
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
};

// A weight is w = scale * (q - zero) + offset, with an unsigned integer q for each element and a
// scale and an offset for each group of columns of a row. These are F16; or `nested`: an F16 number
// for 256 columns times an integer of 8 bits for each group (signed for scales). All weights are
// exactly those of formats::dequantise().
struct BlockFormat {
  std::string_view name;
  int64_t block_cols, block_bytes;  // of a block in a file
  int bits;                         // of an integer: 4, 5, 6 or 8
  int zero_bits;                    // zero = 2^zero_bits; without an offset only
  bool has_offset;                  // otherwise the offset is 0; with it, zero is 0
  bool nested;
  int64_t group = 32;  // columns
};

constexpr BlockFormat format_of(BlockType type) {
  switch (type) {
    case BlockType::kQ4_0: return {"Q4_0", 32, 18, 4, 3, false, false};
    case BlockType::kQ4_1: return {"Q4_1", 32, 20, 4, 0, true, false};
    case BlockType::kQ5_0: return {"Q5_0", 32, 22, 5, 4, false, false};
    case BlockType::kQ5_1: return {"Q5_1", 32, 24, 5, 0, true, false};
    case BlockType::kQ8_0: return {"Q8_0", 32, 34, 8, 7, false, false};
    case BlockType::kQ4_K: return {"Q4_K", 256, 144, 4, 0, true, true};
    case BlockType::kQ5_K: return {"Q5_K", 256, 176, 5, 0, true, true};
    case BlockType::kQ6_K: return {"Q6_K", 256, 210, 6, 5, false, true, 16};
  }
  return {};
}

// Weights [rows, cols] = [D_out, D_in] in panels of 16 rows. Columns are padded to chunks of 32,
// and a panel has three parts, one after the other, each for all its columns:
// - integers: for each chunk 8 k-blocks of 64 bytes. In a k-block row r has bytes 4 r to 4 r + 3
//   for four columns. With less than 8 bits, byte i of 64 holds the lower 4 bits of byte i
//   of k-block v and, in its upper half, of k-block v + 4, v = 0..3. The upper bits follow in 64
//   bytes: bit v of byte i is that of k-block v; or, two bits each, in two times 64 bytes: bits
//   2 j and 2 j + 1 of byte i of the u-th are those of k-block 4 u + j.
// - scales: for each chunk the scales of the 16 rows, then the offsets; nested ones are bytes, one
//   set of 16 for each group.
// - outer scales, if nested: for each 256 columns 16 factors of scales, then of offsets (F16).
// Panels are padded to 64 bytes, with zeros.
inline constexpr int64_t kPanelRows = 16;
inline constexpr int64_t kChunkCols = 32;
inline constexpr int64_t kOuterCols = 256;

constexpr int64_t panels_of(int64_t rows) { return (rows + kPanelRows - 1) / kPanelRows; }
constexpr int64_t chunks_of(int64_t cols) { return (cols + kChunkCols - 1) / kChunkCols; }
// Blocks of a row in a file.
constexpr int64_t row_blocks(BlockType type, int64_t cols) {
  const int64_t size = format_of(type).block_cols;
  return (cols + size - 1) / size;
}
// Bytes of a row in a file.
constexpr int64_t block_row_bytes(BlockType type, int64_t cols) {
  return row_blocks(type, cols) * format_of(type).block_bytes;
}

// The size of the parts of a panel in bytes.
struct BlockPanelLayout {
  int64_t integers;      // of a chunk
  int64_t scales;        // of a chunk, offsets included
  int64_t outer;         // of 256 columns
  int64_t scales_begin;  // from the beginning of the panel
  int64_t outer_begin;
  int64_t end;
  int64_t bytes;  // with padding
};

constexpr BlockPanelLayout block_panel(BlockType type, int64_t cols) {
  const BlockFormat f = format_of(type);
  const int64_t rows = kPanelRows, kinds = f.has_offset ? 2 : 1;
  BlockPanelLayout out{};
  out.integers = rows * kChunkCols * f.bits / 8;
  out.scales = f.nested ? kinds * rows * kChunkCols / f.group : kinds * rows * 2;
  out.outer = f.nested ? kinds * rows * 2 : 0;
  const int64_t chunks = row_blocks(type, cols) * f.block_cols / kChunkCols;
  out.scales_begin = chunks * out.integers;
  out.outer_begin = out.scales_begin + chunks * out.scales;
  out.end = out.outer_begin + chunks * kChunkCols / kOuterCols * out.outer;
  out.bytes = (out.end + 63) / 64 * 64;
  return out;
}

// Rounds weights w (F32) to `blocks` of a file, block_row_bytes() a row, as llama.cpp does; type
// Q8_0 or Q4_0. Columns are zero-padded to whole blocks.
//   Q8_0: scale = max|w| / 127, q - zero = round(w / scale), halves away from zero
//   Q4_0: scale = m / -8 for the m of largest magnitude, q = min(15, floor(w / scale + 8.5))
// Integers are of the scale in F32, which is then rounded to F16. A block with infinities or NaN
// gets the scale NaN.
struct QuantiseBlocks {
  View w;
  BlockType type;
  void* blocks;
  static constexpr std::string_view kName = "quantise_blocks";
  Cost cost() const { return {0, bytes_of({w})}; }
};

// Packs the blocks of a file into `panels` of packed_bytes(), aligned to 64 bytes.
struct PackBlocks {
  const void* blocks;
  BlockType type;
  int64_t rows, cols;
  void* panels;
  static constexpr std::string_view kName = "pack_blocks";
  Cost cost() const {
    return {0, 2 * static_cast<double>(panels_of(rows) * block_panel(type, cols).bytes)};
  }
};

namespace ref {
void run(const QuantiseBlocks&), run(const PackBlocks&);
}
namespace cpu {
void run(const QuantiseBlocks&), run(const PackBlocks&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BLOCKS_H_
