#include "weft/tensor/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "weft/kernels/backend.h"
#include "weft/kernels/packed.h"
#include "weft/tensor/pool.h"

namespace weft {
namespace {

// Rows converted per step, a multiple of the panel size, to avoid a second copy of a large matrix.
constexpr int64_t kChunkRows = 2048;
constexpr int64_t kRowBytes = 4;  // of one row in a k-block

// From the pool, for its huge pages: weights are streamed at every step, and TLB misses would slow
// down even small ones.
std::shared_ptr<std::byte> allocate(size_t bytes) {
  return {static_cast<std::byte*>(pool_allocate(bytes)),
          [bytes](std::byte* p) { pool_free(p, bytes); }};
}

// The row's first 4 bytes; the next ones follow at steps of kKBlockBytes. A panel has `panel_bytes`
// bytes.
template <class Byte>
Byte* row_begin(Byte* panels, int64_t row, int64_t panel_bytes) {
  return panels + row / kernels::kPanelRows * panel_bytes + row % kernels::kPanelRows * kRowBytes;
}

// Returns `type`; throws ShapeError if these weights cannot be packed in it.
DType checked_type(const Tensor& weights, DType type, const Tensor& scales) {
  const auto packs = [](DType t) {
    return t == DType::kF32 || t == DType::kBF16 || t == DType::kI8;
  };
  if (!packs(weights.dtype()) || !packs(type)) {
    fail<ShapeError>("packed weight", "expected F32, BF16 or I8, got {} for {}",
                     name_of(weights.dtype()), name_of(type));
  }
  const bool has_scales = scales && scales.dtype() == DType::kF32;
  if (weights.dtype() == DType::kI8 && (!has_scales || scales.size() != weights.rows())) {
    fail<ShapeError>("packed weight", "expected an F32 scale for each of {} rows", weights.rows());
  }
  return type;
}

Tensor to_float(const Tensor& weights, const Tensor& scales) {
  if (weights.dtype() == DType::kI8) return dequantise_rows({weights, scales});
  return weights.dtype() == DType::kF32 ? weights : weights.to(DType::kF32);
}

}  // namespace

QuantisedRows quantise_rows(const Tensor& weights) {
  QuantisedRows out{Tensor::empty(weights.shape(), DType::kI8), Tensor::empty({weights.rows()})};
  backend_of(weights)(
      kernels::QuantiseRows{.w = weights, .q = out.integers, .scales = out.scales.data<float>()});
  return out;
}

Tensor dequantise_rows(const QuantisedRows& rows) {
  checked_type(rows.integers, DType::kI8, rows.scales);
  Tensor out = Tensor::empty(rows.integers.shape());
  const int64_t cols = out.cols();
  for (int64_t i = 0; i < out.rows(); ++i) {
    const int8_t* row = rows.integers.data<int8_t>() + i * rows.integers.stride();
    const float scale = rows.scales.data<float>()[i];
    std::transform(row, row + cols, out.data<float>() + i * out.stride(),
                   [=](int8_t x) { return scale * static_cast<float>(x); });
  }
  return out;
}

PackedWeight::PackedWeight(DType type, int64_t rows, int64_t cols) {
  const int64_t padded = kernels::panels_of(rows) * kernels::kPanelRows;
  const auto panels = static_cast<size_t>(kernels::packed_bytes(type, rows, cols));
  const size_t sums = type == DType::kI8 ? static_cast<size_t>(padded) * sizeof(int32_t) : 0;
  memory_ = allocate(panels + 2 * sums);
  view_ = {.panels = memory_.get(), .dtype = type, .rows = rows, .cols = cols};
  if (type != DType::kI8) return;
  view_.scales = reinterpret_cast<float*>(memory_.get() + panels);
  view_.sums = reinterpret_cast<int32_t*>(memory_.get() + panels + sums);
  std::fill_n(this->scales(), padded, 0.0f);
}

PackedWeight::PackedWeight(const Tensor& weights, DType type, const Tensor& scales)
    : PackedWeight(checked_type(weights, type, scales), weights.rows(), weights.cols()) {
  const int64_t rows = weights.rows(), cols = weights.cols();
  for (int64_t begin = 0; begin < rows; begin += kChunkRows) {
    const int64_t end = std::min(rows, begin + kChunkRows);
    Tensor part = weights.row_range(begin, end);
    const Tensor part_scales = scales ? scales.reshape({rows, 1}).row_range(begin, end) : Tensor();
    if (type == DType::kI8) {
      QuantisedRows integers{part, part_scales};
      if (part.dtype() != DType::kI8) integers = quantise_rows(to_float(part, part_scales));
      std::copy_n(integers.scales.data<float>(), end - begin, this->scales() + begin);
      part = integers.integers;
    } else if (part.dtype() != type) {
      part = to_float(part, part_scales).to(type);
    }
    const int64_t offset = begin / kernels::kPanelRows * kernels::panel_bytes(type, cols);
    kernels::default_backend()(
        kernels::Pack{.w = part,
                      .panels = memory_.get() + offset,
                      .sums = type == DType::kI8 ? sums() + begin : nullptr});
  }
}

PackedWeight PackedWeight::rows(std::span<const int32_t> indices) const {
  const auto count = static_cast<int64_t>(indices.size());
  PackedWeight out(view_.dtype, count, view_.cols);
  const auto* source_panels = static_cast<const std::byte*>(view_.panels);
  std::byte* const target_panels = out.memory_.get();
  const int64_t bytes = kernels::panel_bytes(view_.dtype, view_.cols);
  std::fill_n(target_panels, kernels::panels_of(count) * bytes, std::byte{0});
  for (int64_t i = 0; i < count; ++i) {
    const int32_t row = indices[i];
    if (row < 0 || row >= view_.rows) {
      fail<ShapeError>("packed weight", "row {} is out of range for {} rows", row, view_.rows);
    }
    const std::byte* source = row_begin(source_panels, row, bytes);
    std::byte* target = row_begin(target_panels, i, bytes);
    for (int64_t offset = 0; offset < bytes; offset += kernels::kKBlockBytes) {
      std::memcpy(target + offset, source + offset, kRowBytes);
    }
    if (view_.dtype != DType::kI8) continue;
    out.scales()[i] = view_.scales[row];
    out.sums()[i] = view_.sums[row];
  }
  return out;
}

}  // namespace weft
