#include "weft/kernels/ref/blocks.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "weft/core/float16.h"
#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/elements.h"
#include "weft/kernels/ref/int8_row.h"

namespace weft::kernels::ref {
namespace {

// Reads one row of packed blocks.
class BlockRow {
 public:
  BlockRow(const Packed& w, int64_t row)
      : f_(format_of(w.block_type())),
        layout_(block_panel(w.block_type(), w.cols)),
        panel_(static_cast<const uint8_t*>(w.panels) + row / kPanelRows * layout_.bytes),
        row_(row % kPanelRows) {}

  int q(int64_t col) const {
    const int64_t v = col % kChunkCols / 4, i = 4 * row_ + col % 4;
    const uint8_t* chunk = panel_ + col / kChunkCols * layout_.integers;
    if (f_.bits == 8) return chunk[64 * v + i];
    const int lower = chunk[64 * (v % 4) + i] >> (v / 4 * 4) & 0xF;
    if (f_.bits == 4) return lower;
    if (f_.bits == 5) return lower | (chunk[256 + i] >> v & 1) << 4;
    return lower | (chunk[256 + 64 * (v / 4) + i] >> (2 * (v % 4)) & 3) << 4;
  }
  int zero() const { return f_.has_offset ? 0 : 1 << f_.zero_bits; }
  bool has_offset() const { return f_.has_offset; }
  int64_t group() const { return f_.group; }
  // Of the group that begins at the column.
  float scale(int64_t col) const {
    const uint8_t* from = scales(col);
    if (!f_.nested) return half(from, row_);
    const int64_t group = col % kChunkCols / f_.group;
    return half(outer(col), row_) *
           static_cast<float>(static_cast<int8_t>(from[kPanelRows * group + row_]));
  }
  float offset(int64_t col) const {
    if (!f_.has_offset) return 0;
    const int64_t index = kPanelRows + row_;
    if (!f_.nested) return half(scales(col), index);
    return half(outer(col), index) * static_cast<float>(scales(col)[index]);
  }

 private:
  const uint8_t* scales(int64_t col) const {
    return panel_ + layout_.scales_begin + col / kChunkCols * layout_.scales;
  }
  const uint8_t* outer(int64_t col) const {
    return panel_ + layout_.outer_begin + col / kOuterCols * layout_.outer;
  }
  static float half(const uint8_t* from, int64_t index) {
    uint16_t bits = 0;
    std::memcpy(&bits, from + 2 * index, sizeof(bits));
    return float_of_half(bits);
  }

  BlockFormat f_;
  BlockPanelLayout layout_;
  const uint8_t* panel_;
  int64_t row_;
};

// Rows of x as integers with a scale for each chunk of columns.
struct ChunkedInput {
  explicit ChunkedInput(Matrix<float> x) : chunks(chunks_of(x.cols)) {
    integers.resize(static_cast<size_t>(x.rows * chunks * kChunkCols));
    scales.resize(static_cast<size_t>(x.rows * chunks));
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t c = 0; c < chunks; ++c) {
        const int64_t begin = c * kChunkCols, n = std::min(kChunkCols, x.cols - begin);
        scales[static_cast<size_t>(i * chunks + c)] =
            quantise_row(x.row(i) + begin, n, integers.data() + (i * chunks + c) * kChunkCols);
      }
    }
  }
  int64_t chunks;
  std::vector<int8_t> integers;
  std::vector<float> scales;
};

// A row of weights as numbers.
struct UnpackedRow {
  UnpackedRow(const BlockRow& row, int64_t chunks) : group(row.group()), zero(row.zero()) {
    for (int64_t col = 0; col < chunks * kChunkCols; ++col) {
      q.push_back(row.q(col));
      if (col % group != 0) continue;
      scales.push_back(row.scale(col));
      offsets.push_back(row.offset(col));
    }
  }
  int64_t group;
  int zero;
  std::vector<int> q;
  std::vector<float> scales, offsets;
};

// The dot product with row i of x.
float dot_blocks(const UnpackedRow& w, const ChunkedInput& x, int64_t i) {
  const int8_t* p = x.integers.data() + i * x.chunks * kChunkCols;
  float out = 0;
  for (size_t g = 0; g < w.scales.size(); ++g) {
    const int64_t begin = static_cast<int64_t>(g) * w.group;
    int32_t dot = 0, sum = 0;
    for (int64_t col = begin; col < begin + w.group; ++col) {
      dot += p[col] * (w.q[static_cast<size_t>(col)] - w.zero);
      sum += p[col];
    }
    float term = w.scales[g] * static_cast<float>(dot);
    term = std::fma(w.offsets[g], static_cast<float>(sum), term);
    out = std::fma(x.scales[static_cast<size_t>(i * x.chunks + begin / kChunkCols)], term, out);
  }
  return out;
}

}  // namespace

void unpack_block_row(const Packed& w, int64_t row, float* to) {
  const BlockRow from(w, row);
  float scale = 0, offset = 0;
  for (int64_t col = 0; col < w.cols; ++col) {
    if (col % from.group() == 0) {
      scale = from.scale(col);
      offset = from.offset(col);
    }
    to[col] = scale * static_cast<float>(from.q(col) - from.zero());
    if (from.has_offset()) to[col] += offset;  // -0 + 0 would be 0
  }
}

void block_sums(Matrix<float> x, const Packed& w, Matrix<float> sums) {
  const ChunkedInput input(x);
  for (int64_t j = 0; j < w.rows; ++j) {
    const UnpackedRow row(BlockRow(w, j), input.chunks);
    for (int64_t i = 0; i < x.rows; ++i) sums.row(i)[j] = dot_blocks(row, input, i);
  }
}

}  // namespace weft::kernels::ref
