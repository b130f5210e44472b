// Loops of products with weights in blocks by tiles.
#include <algorithm>

#include "weft/core/parallel.h"
#include "weft/kernels/cpu/products/block_tiles.h"
#include "weft/kernels/cpu/products/packed_rows.h"
#include "weft/kernels/cpu/scratch.h"

namespace weft::kernels::cpu {
namespace {

constexpr int64_t kRangeTiles = 16;    // of rows, multiplied by a few panels
constexpr int64_t kMinWork = 1 << 20;  // multiplications of a thread, of 16 rows and outputs
constexpr int64_t kStride = kTilePanels * kPanelRows;

class TiledRun {
 public:
  explicit TiledRun(const PackedProduct& p)
      : p_(p),
        x_(p.x.as<float>()),
        tiles_((x_.rows + kTile - 1) / kTile),
        chunks_(chunks_of(x_.cols)) {
    for (const Packed& w : p.weights) panels_ += panels_of(w.rows);
    const int64_t work = tiles_ * panels_ * x_.cols;
    parts_ = std::clamp<int64_t>(work * kTile * kPanelRows / kMinWork, 1,
                                 std::min<int64_t>(threads(), (panels_ + 1) / 2));
  }

  void operator()() const {
    Scratch scratch;
    const TiledRows rows{
        reinterpret_cast<uint16_t*>(scratch.allocate(tiles_ * chunks_ * rows.kTileElements / 2)),
        scratch.allocate(tiles_ * chunks_ * rows.kTileScales), x_.rows, chunks_};
    const int64_t size = std::min(tiles_, kRangeTiles) * kTile * kStride;
    float* const sums = scratch.allocate(parts_ * size);
    const int64_t grain = std::max<int64_t>(1, kThreadWork / (kTile * x_.cols));
    parallel_for(tiles_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) quantise_tile(x_, t, rows);
    });
    parallel_for(parts_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        multiply(rows, first_panel(part), first_panel(part + 1), sums + part * size);
      }
    });
  }

 private:
  // Whole pairs of panels for each part.
  int64_t first_panel(int64_t part) const {
    return part == parts_ ? panels_ : panels_ / 2 * part / parts_ * 2;
  }

  // Multiplies the panels [begin, end), counted over all weights.
  void multiply(const TiledRows& x, int64_t begin, int64_t end, float* sums) const {
    for (int64_t t = 0; t < tiles_; t += kRangeTiles) {
      int64_t first = 0, column = 0;
      for (const Packed& w : p_.weights) {
        const int64_t last = std::min(end - first, panels_of(w.rows));
        for (int64_t g = std::max<int64_t>(0, begin - first); g < last; g += kTilePanels) {
          const BlockPanelLayout layout = block_panel(w.block_type(), w.cols);
          const TiledProduct product{
              .x = x,
              .begin = t,
              .end = std::min(t + kRangeTiles, tiles_),
              .type = w.block_type(),
              .layout = layout,
              .panels = static_cast<const std::byte*>(w.panels) + g * layout.bytes,
              .count = std::min(kTilePanels, last - g),
              .sums = sums,
              .stride = kStride};
          multiply_tiles(product);
          finish(product, w.rows - g * kPanelRows, column + g * kPanelRows);
        }
        first += panels_of(w.rows);
        column += w.rows;
      }
    }
  }

  // Writes the results to y, whose columns begin at `column`.
  void finish(const TiledProduct& product, int64_t outputs, int64_t column) const {
    const int64_t row = product.begin * kTile, end = std::min(product.end * kTile, x_.rows);
    const Floats y = p_.y.as<float>();
    finish_block({.sums = product.sums,
                  .sums_stride = product.stride,
                  .x_scales = nullptr,
                  .w_scales = nullptr,
                  .bias = p_.bias ? p_.bias.as<float>().data + column : nullptr,
                  .activation = p_.activation,
                  .y = {y.row(row) + column, end - row,
                        std::min(product.count * kPanelRows, outputs), y.stride}});
  }

  const PackedProduct& p_;
  Floats x_;
  int64_t tiles_, chunks_, panels_ = 0, parts_ = 1;
};

}  // namespace

BlockKernel block_tile_kernel() {
  return {.name = "tiles", .multiply = nullptr, .product = [](const PackedProduct& p) {
            TiledRun{p}();
          }};
}

}  // namespace weft::kernels::cpu
