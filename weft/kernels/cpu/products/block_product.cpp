#include <algorithm>
#include <numeric>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/instructions.h"
#include "weft/kernels/cpu/products/block_kernel.h"
#include "weft/kernels/cpu/products/packed_kernel.h"
#include "weft/kernels/cpu/products/packed_rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/ref/blocks.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kInputBytes = 1 << 19;  // of quantised rows, to fit the cache
constexpr int64_t kGroupBytes = 1 << 18;  // of panels, to fit the cache
constexpr int64_t kChunkFloats = sizeof(InputChunk) / sizeof(float);
constexpr int64_t kMinWork = 1 << 18;  // of a thread, in bytes of panels times rows

constexpr int64_t kTileRows = 16;  // from this number of rows on, tiles are faster

bool has_tiles() { return allows_avx512() && has_bf16_tiles(); }
bool has_dots() { return allows_avx512() && has_byte_dots(); }

// One product by one kernel, over blocks of rows and groups of panels.
class BlockProductRun {
 public:
  BlockProductRun(const PackedProduct& p, const BlockKernel& kernel)
      : p_(p), kernel_(kernel), x_(p.x.as<float>()), chunks_(chunks_of(x_.cols)) {
    for (const Packed& w : p.weights) {
      panels_ += panels_of(w.rows);
      panel_bytes_ = std::max(panel_bytes_, block_panel(w.block_type(), w.cols).bytes);
    }
    block_rows_ = std::clamp<int64_t>(x_.rows, 1, kMaxBlockRows);
    const int64_t most = std::min(kMaxBlockSums / (block_rows_ * kPanelRows),
                                  std::max<int64_t>(2, kGroupBytes / panel_bytes_));
    group_ = std::clamp<int64_t>(panels_ / (4 * threads()), 1, most);
  }

  void operator()() const {
    Scratch scratch;
    // Not a power of two, to avoid cache set conflicts between rows.
    const int64_t stride = (chunks_ + 1) | 1;
    float* scales = scratch.allocate(x_.rows * chunks_);
    float* space = scratch.allocate(x_.rows * stride * kChunkFloats);
    const ChunkedRows x{reinterpret_cast<InputChunk*>(space), chunks_, stride};
    for_each_row(x_.rows, x_.cols,
                 [&](int64_t i) { quantise(x_.row(i), x.row(i), scales + i * chunks_); });
    const int64_t work = 2 * panel_bytes_ * (8 + x_.rows);
    parallel_for(panels_, 2 * std::max<int64_t>(1, kMinWork / work),  // pairs of panels
                 [&](int64_t begin, int64_t end) { multiply(x, begin, end); });
  }

 private:
  void quantise(float* x, InputChunk* to, float* scales) const {
    const int64_t whole = x_.cols / kChunkCols, rest = x_.cols % kChunkCols;
    const auto prepare = [&](Floats chunks, int64_t first) {
      prepare_rows(RowForm::kI8, chunks, kChunkCols,
                   {reinterpret_cast<std::byte*>(to + first), sizeof(InputChunk), scales + first});
    };
    prepare({x, whole, kChunkCols, kChunkCols}, 0);
    if (rest > 0) prepare({x + whole * kChunkCols, 1, rest, rest}, whole);
    for (int64_t c = 0; c < chunks_; ++c) {
      const int8_t* p = to[c].integers;
      const int32_t first = std::accumulate(p, p + 16, 0),
                    last = std::accumulate(p + 16, p + 32, 0);
      to[c].scale = scales[c];
      to[c].sum = static_cast<float>(first + last);
      to[c].negated[0] = -first - last;
      to[c].negated[1] = -first;
      to[c].negated[2] = -last;
    }
  }

  // Multiplies the panels [begin, end), counted over all parts.
  void multiply(const ChunkedRows& x, int64_t begin, int64_t end) const {
    const int64_t row_bytes = x.stride * static_cast<int64_t>(sizeof(InputChunk));
    const int64_t rows = std::max<int64_t>(1, kInputBytes / row_bytes / block_rows_) * block_rows_;
    for (int64_t i = 0; i < x_.rows; i += rows) {
      const Rows range{i, std::min(i + rows, x_.rows)};
      int64_t first = 0, column = 0;
      for (const Packed& w : p_.weights) {
        const int64_t last = std::min(end - first, panels_of(w.rows));
        for (int64_t g = std::max<int64_t>(0, begin - first); g < last; g += group_) {
          multiply_panels(x, range, w, {g, std::min(g + group_, last), column});
        }
        first += panels_of(w.rows);
        column += w.rows;
      }
    }
  }

  struct Rows {
    int64_t begin, end;
  };
  struct Panels {
    int64_t begin, end;  // of a part
    int64_t column;      // first column of the part in y
  };

  void multiply_panels(const ChunkedRows& x, Rows range, const Packed& w,
                       const Panels& panels) const {
    alignas(64) float sums[kMaxBlockSums];
    const int64_t row = panels.begin * kPanelRows, column = panels.column + row;
    const Floats y = p_.y.as<float>();
    BlockTile tile{.x = x,
                   .rows = 0,
                   .type = w.block_type(),
                   .layout = block_panel(w.block_type(), w.cols),
                   .panels = static_cast<const std::byte*>(w.panels),
                   .count = panels.end - panels.begin,
                   .is_first = true,
                   .sums = sums};
    tile.panels += panels.begin * tile.layout.bytes;
    for (int64_t i = range.begin; i < range.end; i += block_rows_, tile.is_first = false) {
      tile.x = x.from_row(i);
      tile.rows = std::min(block_rows_, range.end - i);
      kernel_.multiply(tile);
      const int64_t cols = std::min(tile.count * kPanelRows, w.rows - row);
      finish_block({.sums = sums,
                    .sums_stride = tile.count * kPanelRows,
                    .x_scales = nullptr,
                    .w_scales = nullptr,
                    .bias = p_.bias ? p_.bias.as<float>().data + column : nullptr,
                    .activation = p_.activation,
                    .y = {y.row(i) + column, tile.rows, cols, y.stride}});
    }
  }

  const PackedProduct& p_;
  const BlockKernel& kernel_;
  Floats x_;
  int64_t chunks_, block_rows_, group_, panels_ = 0, panel_bytes_ = 1;
};

}  // namespace

std::vector<BlockKernel> block_kernels() {
  std::vector<BlockKernel> out;
  if (has_tiles()) out.push_back(block_tile_kernel());
  if (has_dots()) out.push_back(block_dot_kernel());
  if (allows_avx2() && has_avx_vnni()) out.push_back(block_byte_kernel());
  if (allows_avx2()) out.push_back(block_pair_kernel());
  return out;
}

void block_product(const PackedProduct& p, const BlockKernel& kernel) {
  if (p.y.size() == 0) return;
  kernel.product ? kernel.product(p) : BlockProductRun(p, kernel)();
}

void block_product(const PackedProduct& p) {
  if (!allows_avx2()) return ref::run(p);
  if (p.x.rows >= kTileRows && has_tiles()) return block_product(p, block_tile_kernel());
  if (has_dots()) return block_product(p, block_dot_kernel());
  block_product(p, has_avx_vnni() ? block_byte_kernel() : block_pair_kernel());
}

void run(const QuantiseBlocks& k) {
  if (!is_float(k.w)) return ref::run(k);
  for_each_row(k.w.rows, k.w.cols, [&](int64_t row) { ref::quantise_block_row(k, row); });
}

void run(const PackBlocks& k) {
  for_each_row(panels_of(k.rows), kPanelRows * k.cols,
               [&](int64_t p) { ref::pack_block_panel(k, p); });
}

}  // namespace weft::kernels::cpu
