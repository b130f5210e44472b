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

// A block of a file, of 32 or 256 columns. Scales and offsets are F16, nested ones bytes.
struct FileBlock {
  uint8_t q[256];
  uint16_t scale, offset;
  uint8_t scales[16], offsets[8];
};

// Byte i holds elements i and i + half.
void read_halves(const uint8_t* bytes, int half, uint8_t* q) {
  for (int i = 0; i < half; ++i) {
    q[i] = bytes[i] & 0xF;
    q[i + half] = bytes[i] >> 4;
  }
}

// Blocks of 32 with 5 bits: the scale, the offset, the fifth bits, the integers.
void read_five_bits(const BlockFormat& f, const uint8_t* from, FileBlock& out) {
  out.scale = load_bytes<uint16_t>(from);
  from += 2;
  if (f.has_offset) {
    out.offset = load_bytes<uint16_t>(from);
    from += 2;
  }
  const auto top = load_bytes<uint32_t>(from);
  read_halves(from + 4, 16, out.q);
  for (int i = 0; i < 32; ++i) out.q[i] |= (top >> i & 1) << 4;
}

// The scales of 8 parts of Q4_K and Q5_K: 6 bits of each scale and offset in 12 bytes.
void read_six_bits(const uint8_t* from, FileBlock& out) {
  for (int i = 0; i < 4; ++i) {
    out.scales[i] = from[i] & 63;
    out.offsets[i] = from[i + 4] & 63;
    out.scales[i + 4] = static_cast<uint8_t>((from[i + 8] & 0xF) | (from[i] >> 6) << 4);
    out.offsets[i + 4] = static_cast<uint8_t>((from[i + 8] >> 4) | (from[i + 4] >> 6) << 4);
  }
}

// Q4_K and Q5_K store what is subtracted; here it is added.
void read_k45(const BlockFormat& f, const uint8_t* from, FileBlock& out) {
  out.scale = load_bytes<uint16_t>(from);
  out.offset = load_bytes<uint16_t>(from + 2) ^ 0x8000;
  read_six_bits(from + 4, out);
  const uint8_t *top = from + 16, *lower = f.bits == 5 ? top + 32 : top;
  for (int pair = 0; pair < 4; ++pair) {
    uint8_t* q = out.q + 64 * pair;
    read_halves(lower + 32 * pair, 32, q);
    if (f.bits == 4) continue;
    for (int i = 0; i < 64; ++i) q[i] |= (top[i % 32] >> (2 * pair + i / 32) & 1) << 4;
  }
}

void read_q6_k(const uint8_t* from, FileBlock& out) {
  const uint8_t *lower = from, *upper = from + 128;
  std::memcpy(out.scales, from + 192, 16);
  out.scale = load_bytes<uint16_t>(from + 208);
  for (int side = 0; side < 2; ++side, lower += 64, upper += 32) {
    uint8_t* q = out.q + 128 * side;
    read_halves(lower, 64, q);
    for (int i = 0; i < 128; ++i) q[i] |= (upper[i % 32] >> (2 * (i / 32)) & 3) << 4;
  }
}

void read_block(const BlockFormat& f, const uint8_t* from, FileBlock& out) {
  if (!f.nested) return read_five_bits(f, from, out);
  if (f.bits == 6) return read_q6_k(from, out);
  read_k45(f, from, out);
}

// Writes 32 integers of a row in words of 4 columns, one of each k-block.
void put_integers(int bits, const uint8_t* q, int64_t row, uint8_t* chunk) {
  uint8_t* const to = chunk + 4 * row;
  uint32_t word[8], upper[8];
  for (int v = 0; v < 8; ++v) {
    word[v] = load_bytes<uint32_t>(q + 4 * v);
    upper[v] = word[v] >> 4 & 0x0F0F0F0F;
    word[v] &= 0x0F0F0F0F;
  }
  for (int v = 0; v < 4; ++v) store_bytes(to + 64 * v, word[v] | word[v + 4] << 4);
  if (bits == 5) {
    uint32_t plane = 0;
    for (int v = 0; v < 8; ++v) plane |= upper[v] << v;
    store_bytes(to + 256, plane);
  }
  for (int u = 0; bits == 6 && u < 2; ++u) {
    uint32_t plane = 0;
    for (int j = 0; j < 4; ++j) plane |= upper[4 * u + j] << (2 * j);
    store_bytes(to + 256 + 64 * u, plane);
  }
}

// One panel that is packed.
struct Panel {
  BlockFormat f;
  BlockPanelLayout layout;
  uint8_t* data;

  // The b-th block of a row.
  void put(const FileBlock& block, int64_t row, int64_t b) const {
    const int64_t groups = kChunkCols / f.group, chunks = f.block_cols / kChunkCols;
    for (int64_t c = 0; c < chunks; ++c) {
      put_integers(f.bits, block.q + kChunkCols * c, row,
                   data + (b * chunks + c) * layout.integers);
      uint8_t* const to = data + layout.scales_begin + (b * chunks + c) * layout.scales;
      if (!f.nested) {
        put_halves(block, row, to);
        continue;
      }
      for (int64_t g = 0; g < groups; ++g) {
        to[kPanelRows * g + row] = block.scales[groups * c + g];
      }
      if (f.has_offset) to[kPanelRows * groups + row] = block.offsets[c];
    }
    if (f.nested) put_halves(block, row, data + layout.outer_begin + b * layout.outer);
  }
  void put_halves(const FileBlock& block, int64_t row, uint8_t* to) const {
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
  std::fill_n(to.data, layout.bytes, uint8_t{0});
  const int64_t first = panel * kPanelRows, rows = std::min(kPanelRows, k.rows - first);
  const auto* from =
      static_cast<const uint8_t*>(k.blocks) + first * block_row_bytes(k.type, k.cols);
  const int64_t blocks = row_blocks(k.type, k.cols);
  for (int64_t r = 0; r < rows; ++r) {
    if (!f.nested && f.bits % 4 == 0) {
      put_words(to, from, r, blocks);
      from += blocks * f.block_bytes;
      continue;
    }
    for (int64_t b = 0; b < blocks; ++b, from += f.block_bytes) {
      FileBlock block;
      read_block(f, from, block);
      to.put(block, r, b);
    }
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
