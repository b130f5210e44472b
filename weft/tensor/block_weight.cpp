#include "weft/tensor/block_weight.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/tensor/pool.h"

namespace weft {
namespace {

// Rows rounded per step, a multiple of the panel size, to avoid a second copy of a large matrix.
constexpr int64_t kQuantisedRows = 2048;

void check_rounds(kernels::BlockType type, const Tensor& weights) {
  if (type != kernels::BlockType::kQ8_0 && type != kernels::BlockType::kQ4_0) {
    fail<ShapeError>("block weight", "cannot round to {}; expected Q8_0 or Q4_0",
                     kernels::format_of(type).name);
  }
  if (weights.dtype() != DType::kF32 && weights.dtype() != DType::kBF16) {
    fail<ShapeError>("block weight", "the weights are {}; expected F32 or BF16",
                     name_of(weights.dtype()));
  }
}

// One row of a panel.
struct PanelRow {
  std::byte* panel;
  int64_t row;
};

PanelRow panel_row(std::byte* panels, const kernels::BlockPanelLayout& layout, int64_t row) {
  return {panels + row / kernels::kBlockPanelRows * layout.bytes, row % kernels::kBlockPanelRows};
}

// Copies a row's entries of the bytes [begin, end) of a panel, in which each of the 16 rows has an
// entry of `width` bytes, again and again.
void copy_entries(const PanelRow& from, const PanelRow& to, std::array<int64_t, 2> range,
                  int64_t width) {
  const int64_t step = kernels::kBlockPanelRows * width;
  for (int64_t i = range[0]; i < range[1]; i += step) {
    std::memcpy(to.panel + i + to.row * width, from.panel + i + from.row * width,
                static_cast<size_t>(width));
  }
}

}  // namespace

std::string quantise_blocks(kernels::BlockType type, const Tensor& weights) {
  check_rounds(type, weights);
  const Tensor w = weights.dtype() == DType::kF32 ? weights : weights.to(DType::kF32);
  std::string out(static_cast<size_t>(w.rows() * kernels::block_row_bytes(type, w.cols())), '\0');
  backend_of(w)(kernels::QuantiseBlocks{.w = w, .type = type, .blocks = out.data()});
  return out;
}

// From the pool, for its huge pages, as those of PackedWeight.
BlockWeight::BlockWeight(kernels::BlockType type, int64_t rows, int64_t cols) {
  const auto size = static_cast<size_t>(kernels::blocks_bytes(type, rows, cols));
  memory_ = {static_cast<std::byte*>(pool_allocate(size)),
             [size](std::byte* p) { pool_free(p, size); }};
  view_ = {.panels = memory_.get(), .type = type, .rows = rows, .cols = cols};
}

// `blocks` are those of the rows [begin, end), `begin` a multiple of the panel size.
void BlockWeight::pack(const void* blocks, int64_t begin, int64_t end) {
  kernels::default_backend()(kernels::PackBlocks{
      .blocks = blocks,
      .type = view_.type,
      .rows = end - begin,
      .cols = view_.cols,
      .panels = memory_.get() + kernels::blocks_bytes(view_.type, begin, view_.cols)});
}

BlockWeight::BlockWeight(kernels::BlockType type, const Shape& shape, std::string_view blocks) {
  const kernels::BlockFormat f = kernels::format_of(type);
  const int64_t bytes = shape.rows() * kernels::block_row_bytes(type, shape.cols());
  if (shape.cols() % f.block_cols != 0 || static_cast<int64_t>(blocks.size()) != bytes) {
    fail<ShapeError>("block weight",
                     "{} bytes of {} are not those of {}; expected {} bytes of "
                     "whole blocks of {}",
                     blocks.size(), f.name, shape.text(), bytes, f.block_cols);
  }
  *this = BlockWeight(type, shape.rows(), shape.cols());
  pack(blocks.data(), 0, shape.rows());
}

BlockWeight::BlockWeight(kernels::BlockType type, const Tensor& weights) {
  check_rounds(type, weights);
  *this = BlockWeight(type, weights.rows(), weights.cols());
  for (int64_t begin = 0; begin < weights.rows(); begin += kQuantisedRows) {
    const int64_t end = std::min(weights.rows(), begin + kQuantisedRows);
    pack(quantise_blocks(type, weights.row_range(begin, end)).data(), begin, end);
  }
}

BlockWeight BlockWeight::rows(std::span<const int32_t> indices) const {
  BlockWeight out(view_.type, static_cast<int64_t>(indices.size()), view_.cols);
  std::fill_n(out.memory_.get(), out.bytes(), std::byte{0});
  const kernels::BlockPanelLayout layout = kernels::block_panel(view_.type, view_.cols);
  const int64_t scale_bytes = kernels::format_of(view_.type).nested ? 1 : 2;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= view_.rows) {
      fail<ShapeError>("block weight", "row {} is out of range for {} rows", indices[i],
                       view_.rows);
    }
    const PanelRow from = panel_row(memory_.get(), layout, indices[i]);
    const PanelRow to = panel_row(out.memory_.get(), layout, static_cast<int64_t>(i));
    copy_entries(from, to, {0, layout.scales_begin}, 4);
    copy_entries(from, to, {layout.scales_begin, layout.outer_begin}, scale_bytes);
    copy_entries(from, to, {layout.outer_begin, layout.end}, 2);
  }
  return out;
}

Tensor BlockWeight::to_float32() const {
  Tensor out = Tensor::empty(shape());
  std::vector<int32_t> ids(static_cast<size_t>(view_.rows));
  std::iota(ids.begin(), ids.end(), 0);
  kernels::default_backend()(kernels::BlockEmbedding{.table = view_, .ids = ids.data(), .y = out});
  return out;
}

}  // namespace weft
