#include "weft/tensor/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "weft/kernels/backend.h"
#include "weft/kernels/packed.h"
#include "weft/tensor/pool.h"

namespace weft {
namespace {

// Rows converted at a time, whole panels, so that no second copy of a large matrix stands in
// memory.
constexpr int64_t kChunk = 2048;
constexpr int64_t kWord = 4;  // bytes of a row in a line

// From the pool, for its huge pages: weights are streamed through at every step, and even small
// ones would be held up by misses of the page table.
std::shared_ptr<std::byte> allocate(size_t bytes) {
  return {static_cast<std::byte*>(pool_allocate(bytes)),
          [bytes](std::byte* p) { pool_free(p, bytes); }};
}

// Where a row's groups begin, one in each line, among panels of so many bytes.
template <class Byte>
Byte* place_of(Byte* panels, int64_t row, int64_t panel_bytes) {
  return panels + row / kernels::kPanelRows * panel_bytes + row % kernels::kPanelRows * kWord;
}

// The type, once it is known that these weights can be packed in it.
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
    fail<ShapeError>("packed weight", "expected a scale in F32 for each of {} rows",
                     weights.rows());
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
    const int8_t* from = rows.integers.data<int8_t>() + i * rows.integers.stride();
    const float scale = rows.scales.data<float>()[i];
    std::transform(from, from + cols, out.data<float>() + i * out.stride(),
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
  for (int64_t begin = 0; begin < rows; begin += kChunk) {
    const int64_t end = std::min(rows, begin + kChunk);
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
    const int64_t at = begin / kernels::kPanelRows * kernels::panel_bytes(type, cols);
    kernels::default_backend()(
        kernels::Pack{.w = part,
                      .panels = memory_.get() + at,
                      .sums = type == DType::kI8 ? sums() + begin : nullptr});
  }
}

PackedWeight PackedWeight::rows(std::span<const int32_t> wanted) const {
  const auto count = static_cast<int64_t>(wanted.size());
  PackedWeight out(view_.dtype, count, view_.cols);
  const auto* from = static_cast<const std::byte*>(view_.panels);
  std::byte* const to = out.memory_.get();
  const int64_t bytes = kernels::panel_bytes(view_.dtype, view_.cols);
  std::fill_n(to, kernels::panels_of(count) * bytes, std::byte{0});
  for (int64_t i = 0; i < count; ++i) {
    const int32_t row = wanted[i];
    if (row < 0 || row >= view_.rows) {
      fail<ShapeError>("packed weight", "row {} of {}", row, view_.rows);
    }
    const std::byte* source = place_of(from, row, bytes);
    std::byte* target = place_of(to, i, bytes);
    for (int64_t at = 0; at < bytes; at += kernels::kKBlockBytes) {
      std::memcpy(target + at, source + at, kWord);
    }
    if (view_.dtype != DType::kI8) continue;
    out.scales()[i] = view_.scales[row];
    out.sums()[i] = view_.sums[row];
  }
  return out;
}

}  // namespace weft
