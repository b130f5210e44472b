#include "weft/tensor/packed_weight.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "weft/kernels/backend.h"
#include "weft/kernels/packable.h"
#include "weft/tensor/pool.h"
#include "weft/tensor/quantise.h"

namespace weft {
namespace {

// Rows converted per step, a multiple of the panel size, to avoid a second copy of a large matrix.
constexpr int64_t kStepRows = 2048;

// From the pool, for its huge pages: weights are streamed at every step, and TLB misses would slow
// down even small ones.
std::shared_ptr<std::byte> allocate(size_t bytes) {
  return {static_cast<std::byte*>(pool_allocate(bytes)),
          [bytes](std::byte* p) { pool_free(p, bytes); }};
}

// Throws ShapeError if these weights cannot be packed in the type.
void check_converts(const Tensor& weights, kernels::PackedType type, const Tensor& scales) {
  if (!kernels::is_packable(weights.dtype()) || !kernels::is_packable(type)) {
    fail<ShapeError>("packed weight", "expected F32, BF16 or I8, got {} for {}",
                     name_of(weights.dtype()), name_of(type));
  }
  const bool has_scales = scales && scales.dtype() == DType::kF32;
  if (weights.dtype() == DType::kI8 && (!has_scales || scales.size() != weights.rows())) {
    fail<ShapeError>("packed weight", "expected an F32 scale for each of {} rows", weights.rows());
  }
}

Tensor to_float(const Tensor& weights, const Tensor& scales) {
  if (weights.dtype() == DType::kI8) return dequantise_rows({weights, scales});
  return weights.dtype() == DType::kF32 ? weights : weights.to(DType::kF32);
}

// A part of a panel, which holds, for each step of 16 × `width` bytes, one entry of each row.
struct PanelPart {
  int64_t begin, end, width;
};

std::vector<PanelPart> parts_of_panel(kernels::PackedType type, int64_t cols) {
  const auto* blocks = std::get_if<kernels::BlockType>(&type);
  if (blocks == nullptr) return {{0, kernels::panel_bytes(type, cols), 4}};
  const kernels::BlockPanelLayout layout = kernels::block_panel(*blocks, cols);
  const int64_t scale_bytes = kernels::format_of(*blocks).nested ? 1 : 2;
  return {{0, layout.scales_begin, 4},
          {layout.scales_begin, layout.outer_begin, scale_bytes},
          {layout.outer_begin, layout.end, 2}};
}

// Copies the entries of a row, which is given modulo 16, to those of another panel.
void copy_entries(const PanelPart& part, const std::byte* from, int64_t from_row, std::byte* to,
                  int64_t to_row) {
  for (int64_t i = part.begin; i < part.end; i += kernels::kPanelRows * part.width) {
    std::memcpy(to + i + to_row * part.width, from + i + from_row * part.width,
                static_cast<size_t>(part.width));
  }
}

}  // namespace

PackedWeight::PackedWeight(kernels::PackedType type, int64_t rows, int64_t cols) {
  const int64_t padded = kernels::panels_of(rows) * kernels::kPanelRows;
  const auto panels = static_cast<size_t>(kernels::packed_bytes(type, rows, cols));
  const bool is_int8 = type == kernels::PackedType(DType::kI8);
  const size_t sums = is_int8 ? static_cast<size_t>(padded) * sizeof(int32_t) : 0;
  memory_ = allocate(panels + 2 * sums);
  view_ = {.panels = memory_.get(), .type = type, .rows = rows, .cols = cols};
  if (!is_int8) return;
  view_.scales = reinterpret_cast<float*>(memory_.get() + panels);
  view_.sums = reinterpret_cast<int32_t*>(memory_.get() + panels + sums);
  std::fill_n(scales(), padded, 0.0f);
}

std::byte* PackedWeight::panels(int64_t row) const {
  return memory_.get() + row / kernels::kPanelRows * kernels::panel_bytes(view_.type, view_.cols);
}

void PackedWeight::pack_numbers(int64_t begin, const Tensor& weights, const Tensor& scales) {
  const DType type = view_.dtype();
  Tensor w = weights;
  if (type == DType::kI8) {
    QuantisedRows integers{w, scales};
    if (w.dtype() != DType::kI8) integers = quantise_rows(to_float(w, scales));
    std::copy_n(integers.scales.data<float>(), w.rows(), this->scales() + begin);
    w = integers.integers;
  } else if (w.dtype() != type) {
    w = to_float(w, scales).to(type);
  }
  kernels::default_backend()(kernels::Pack{
      .w = w, .panels = panels(begin), .sums = type == DType::kI8 ? sums() + begin : nullptr});
}

void PackedWeight::pack_blocks(int64_t begin, int64_t end, const void* blocks) {
  kernels::default_backend()(kernels::PackBlocks{.blocks = blocks,
                                                 .type = view_.block_type(),
                                                 .rows = end - begin,
                                                 .cols = view_.cols,
                                                 .panels = panels(begin)});
}

PackedWeight::PackedWeight(const Tensor& weights, kernels::PackedType type, const Tensor& scales) {
  check_converts(weights, type, scales);
  const int64_t rows = weights.rows();
  *this = PackedWeight(type, rows, weights.cols());
  for (int64_t begin = 0; begin < rows; begin += kStepRows) {
    const int64_t end = std::min(rows, begin + kStepRows);
    const Tensor w = weights.row_range(begin, end);
    const Tensor s = scales ? scales.reshape({rows, 1}).row_range(begin, end) : Tensor();
    if (view_.is_in_blocks()) {
      pack_blocks(begin, end, quantise_blocks(view_.block_type(), to_float(w, s)).data());
    } else {
      pack_numbers(begin, w, s);
    }
  }
}

PackedWeight::PackedWeight(kernels::BlockType type, const Shape& shape, std::string_view blocks) {
  const int64_t bytes = shape.rows() * kernels::block_row_bytes(type, shape.cols());
  if (static_cast<int64_t>(blocks.size()) != bytes) {
    fail<ShapeError>("packed weight", "{} bytes of {} are not those of {}; expected {}",
                     blocks.size(), kernels::format_of(type).name, shape.text(), bytes);
  }
  *this = PackedWeight(type, shape.rows(), shape.cols());
  pack_blocks(0, shape.rows(), blocks.data());
}

PackedWeight PackedWeight::rows(std::span<const int32_t> indices) const {
  PackedWeight out(view_.type, static_cast<int64_t>(indices.size()), view_.cols);
  std::fill_n(out.memory_.get(), out.bytes(), std::byte{0});
  const std::vector<PanelPart> parts = parts_of_panel(view_.type, view_.cols);
  for (size_t i = 0; i < indices.size(); ++i) {
    const int32_t row = indices[i];
    if (row < 0 || row >= view_.rows) {
      fail<ShapeError>("packed weight", "row {} is out of range for {} rows", row, view_.rows);
    }
    const auto to = static_cast<int64_t>(i);
    for (const PanelPart& part : parts) {
      copy_entries(part, panels(row), row % kernels::kPanelRows, out.panels(to),
                   to % kernels::kPanelRows);
    }
    if (view_.scales == nullptr) continue;
    out.scales()[i] = view_.scales[row];
    out.sums()[i] = view_.sums[row];
  }
  return out;
}

Tensor PackedWeight::to_float32() const {
  Tensor out = Tensor::empty(shape());
  std::vector<int32_t> ids(static_cast<size_t>(view_.rows));
  std::iota(ids.begin(), ids.end(), 0);
  kernels::default_backend()(kernels::PackedEmbedding{.table = view_, .ids = ids.data(), .y = out});
  return out;
}

}  // namespace weft
