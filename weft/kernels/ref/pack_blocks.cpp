#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "weft/core/float16.h"
#include "weft/kernels/ref/blocks.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

template <class T>
T load_bytes(const uint8_t* from) {
  T out;
  std::memcpy(&out, from, sizeof(T));
  return out;
}

template <class T>
void store_bytes(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// The integers of 32 columns of a row. A word has a byte for each of the 4 columns of a k-block:
// `lower` the lower 4 bits of the integers, `upper` the bits above them, if there are any.
struct ChunkWords {
  uint32_t lower[8], upper[8];
};

// The scales of a block of a file, of 32 or 256 columns. Scales and offsets are F16, nested ones
// bytes.
struct BlockScales {
  uint16_t scale = 0, offset = 0;
  uint8_t scales[16], offsets[8];
};

// A word whose byte i is bit i of `bits`.
uint32_t spread(uint32_t bits) { return (bits & 0xF) * 0x00204081 & 0x01010101; }

// Q5_0 and Q5_1: at `top` there are 32 bits, the fifth bit of each column, and then 16 bytes. Byte
// i holds the lower 4 bits of column i, and above them those of column i + 16.
void read_five_bits(const uint8_t* top, ChunkWords& out) {
  const auto fifth = load_bytes<uint32_t>(top);
  for (int v = 0; v < 4; ++v) {
    const auto word = load_bytes<uint32_t>(top + 4 + 4 * v);
    out.lower[v] = word & 0x0F0F0F0F;
    out.lower[v + 4] = word >> 4 & 0x0F0F0F0F;
  }
  for (int v = 0; v < 8; ++v) out.upper[v] = spread(fifth >> (4 * v));
}

// Shifts each of 32 bytes right by `shift` and keeps the bits of `mask`.
void read_plane(const uint8_t* from, int shift, uint32_t mask, uint32_t* to) {
  for (int v = 0; v < 8; ++v) to[v] = load_bytes<uint32_t>(from + 4 * v) >> shift & mask;
}

// Reads columns 32 c to 32 c + 31 of a block, of the types that put_words() does not take.
void read_chunk(const BlockFormat& f, const uint8_t* block, int64_t c, ChunkWords& out) {
  if (!f.nested) return read_five_bits(block + (f.has_offset ? 4 : 2), out);
  const auto index = static_cast<int>(c);
  if (f.bits == 6) {  // two sides of 128 columns
    const int64_t side = c / 4;
    read_plane(block + 64 * side + 32 * (c % 2), index % 4 / 2 * 4, 0x0F0F0F0F, out.lower);
    read_plane(block + 128 + 32 * side, index % 4 * 2, 0x03030303, out.upper);
    return;
  }
  const uint8_t* const lower = block + (f.bits == 5 ? 48 : 16);
  read_plane(lower + 32 * (c / 2), index % 2 * 4, 0x0F0F0F0F, out.lower);
  if (f.bits == 5) read_plane(block + 16, index, 0x01010101, out.upper);
}

// The scales of 8 parts of Q4_K and Q5_K: 6 bits of each scale and offset in 12 bytes.
void read_six_bits(const uint8_t* from, BlockScales& out) {
  for (int i = 0; i < 4; ++i) {
    out.scales[i] = from[i] & 63;
    out.offsets[i] = from[i + 4] & 63;
    out.scales[i + 4] = static_cast<uint8_t>((from[i + 8] & 0xF) | (from[i] >> 6) << 4);
    out.offsets[i + 4] = static_cast<uint8_t>((from[i + 8] >> 4) | (from[i + 4] >> 6) << 4);
  }
}

void read_scales(const BlockFormat& f, const uint8_t* block, BlockScales& out) {
  if (f.bits == 6) {
    std::memcpy(out.scales, block + 192, 16);
    out.scale = load_bytes<uint16_t>(block + 208);
    return;
  }
  out.scale = load_bytes<uint16_t>(block);
  if (f.has_offset) out.offset = load_bytes<uint16_t>(block + 2);
  if (!f.nested) return;
  out.offset ^= 0x8000;  // Q4_K and Q5_K store what is subtracted; here it is added
  read_six_bits(block + 4, out);
}

void put_integers(int bits, const ChunkWords& words, int64_t row, uint8_t* chunk) {
  uint8_t* const to = chunk + 4 * row;
  for (int v = 0; v < 4; ++v) store_bytes(to + 64 * v, words.lower[v] | words.lower[v + 4] << 4);
  if (bits == 5) {
    uint32_t plane = 0;
    for (int v = 0; v < 8; ++v) plane |= words.upper[v] << v;
    store_bytes(to + 256, plane);
  }
  for (int u = 0; bits == 6 && u < 2; ++u) {
    uint32_t plane = 0;
    for (int j = 0; j < 4; ++j) plane |= words.upper[4 * u + j] << (2 * j);
    store_bytes(to + 256 + 64 * u, plane);
  }
}

// One panel that is packed.
struct Panel {
  BlockFormat f;
  BlockPanelLayout layout;
  uint8_t* data;

  // The b-th block of a row.
  void put(const uint8_t* block, int64_t row, int64_t b) const {
    const int64_t groups = kChunkCols / f.group, chunks = f.block_cols / kChunkCols;
    BlockScales s;
    read_scales(f, block, s);
    for (int64_t c = 0; c < chunks; ++c) {
      ChunkWords words;
      read_chunk(f, block, c, words);
      put_integers(f.bits, words, row, data + (b * chunks + c) * layout.integers);
      uint8_t* const to = data + layout.scales_begin + (b * chunks + c) * layout.scales;
      if (!f.nested) {
        put_halves(s, row, to);
        continue;
      }
      for (int64_t g = 0; g < groups; ++g) to[kPanelRows * g + row] = s.scales[groups * c + g];
      if (f.has_offset) to[kPanelRows * groups + row] = s.offsets[c];
    }
    if (f.nested) put_halves(s, row, data + layout.outer_begin + b * layout.outer);
  }
  void put_halves(const BlockScales& block, int64_t row, uint8_t* to) const {
    store_bytes(to + 2 * row, block.scale);
    if (f.has_offset) store_bytes(to + 2 * (kPanelRows + row), block.offset);
  }
};

// Packs a row of blocks of 32 columns with 4 or 8 bits, whose words are those of k-blocks: a byte
// of 4 bits holds columns i and i + 16 in both.
void put_words(const Panel& to, const uint8_t* from, int64_t row, int64_t blocks) {
  const BlockFormat& f = to.f;
  const int64_t header = f.has_offset ? 4 : 2;
  for (int64_t b = 0; b < blocks; ++b, from += f.block_bytes) {
    uint8_t* const words = to.data + b * to.layout.integers + 4 * row;
    for (int64_t v = 0; v < f.bits; ++v) {
      const auto word = load_bytes<uint32_t>(from + header + 4 * v);
      store_bytes(words + 64 * v, f.bits == 8 ? word ^ 0x80808080 : word);
    }
    uint8_t* const scales = to.data + to.layout.scales_begin + b * to.layout.scales + 2 * row;
    std::memcpy(scales, from, 2);
    if (f.has_offset) std::memcpy(scales + 2 * kPanelRows, from + 2, 2);
  }
}

// The number of largest magnitude, NaN if one is not finite.
float extreme(const float* x, int64_t n) {
  float top = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(x[i])) return std::numeric_limits<float>::quiet_NaN();
    if (std::abs(x[i]) > std::abs(top)) top = x[i];
  }
  return top;
}

// 0 if there is no finite inverse.
float inverse(float scale) { return std::isfinite(1 / scale) ? 1 / scale : 0; }

void write_q8_0(const float* x, uint8_t* block) {
  const float scale = std::abs(extreme(x, 32)) / 127, factor = inverse(scale);
  store_bytes(block, half_of_float(scale));
  for (int i = 0; i < 32; ++i) {
    const float q = factor == 0 ? 0 : std::clamp(std::round(x[i] * factor), -127.0f, 127.0f);
    block[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(q));
  }
}

void write_q4_0(const float* x, uint8_t* block) {
  const float scale = extreme(x, 32) / -8, factor = inverse(scale);
  store_bytes(block, half_of_float(scale));
  const auto rounded = [&](int i) {
    if (factor == 0) return 8;
    return static_cast<int>(std::clamp(std::floor(x[i] * factor + 8.5f), 0.0f, 15.0f));
  };
  for (int i = 0; i < 16; ++i) {
    block[2 + i] = static_cast<uint8_t>(rounded(i) | rounded(i + 16) << 4);
  }
}

}  // namespace

void quantise_block_row(const QuantiseBlocks& k, int64_t row) {
  const bool is_q8 = k.type == BlockType::kQ8_0;
  const BlockFormat f = format_of(k.type);
  const float* x = k.w.as<float>().row(row);
  auto* to = static_cast<uint8_t*>(k.blocks) + row * block_row_bytes(k.type, k.w.cols);
  for (int64_t i = 0; i < k.w.cols; i += f.block_cols, to += f.block_bytes) {
    float padded[32] = {};
    std::copy_n(x + i, std::min(f.block_cols, k.w.cols - i), padded);
    is_q8 ? write_q8_0(padded, to) : write_q4_0(padded, to);
  }
}

void pack_block_panel(const PackBlocks& k, int64_t panel) {
  const BlockFormat f = format_of(k.type);
  const BlockPanelLayout layout = block_panel(k.type, k.cols);
  const Panel to{f, layout, static_cast<uint8_t*>(k.panels) + panel * layout.bytes};
  const int64_t first = panel * kPanelRows, rows = std::min(kPanelRows, k.rows - first);
  // Rows of the file fill the rest.
  const int64_t filled = rows == kPanelRows ? layout.end : 0;
  std::fill(to.data + filled, to.data + layout.bytes, uint8_t{0});
  const auto* from =
      static_cast<const uint8_t*>(k.blocks) + first * block_row_bytes(k.type, k.cols);
  const int64_t blocks = row_blocks(k.type, k.cols);
  for (int64_t r = 0; r < rows; ++r) {
    if (!f.nested && f.bits % 4 == 0) {
      put_words(to, from, r, blocks);
      from += blocks * f.block_bytes;
      continue;
    }
    for (int64_t b = 0; b < blocks; ++b, from += f.block_bytes) to.put(from, r, b);
  }
}

void run(const QuantiseBlocks& k) {
  expect_float(k.kName, k.w);
  for (int64_t row = 0; row < k.w.rows; ++row) quantise_block_row(k, row);
}

void run(const PackBlocks& k) {
  for (int64_t p = 0; p < panels_of(k.rows); ++p) pack_block_panel(k, p);
}

}  // namespace weft::kernels::ref
