#include "weft/tensor/quantise.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/packed.h"

namespace weft {

QuantisedRows quantise_rows(const Tensor& weights) {
  QuantisedRows out{Tensor::empty(weights.shape(), DType::kI8), Tensor::empty({weights.rows()})};
  backend_of(weights)(
      kernels::QuantiseRows{.w = weights, .q = out.integers, .scales = out.scales.data<float>()});
  return out;
}

Tensor dequantise_rows(const QuantisedRows& rows) {
  const auto& [integers, scales] = rows;
  if (!scales || scales.dtype() != DType::kF32 || scales.size() != integers.rows()) {
    fail<ShapeError>("quantised rows", "expected an F32 scale for each of {} rows",
                     integers.rows());
  }
  Tensor out = Tensor::empty(integers.shape());
  const int64_t cols = out.cols();
  for (int64_t i = 0; i < out.rows(); ++i) {
    const int8_t* row = integers.data<int8_t>() + i * integers.stride();
    const float scale = scales.data<float>()[i];
    std::transform(row, row + cols, out.data<float>() + i * out.stride(),
                   [=](int8_t x) { return scale * static_cast<float>(x); });
  }
  return out;
}

std::string quantise_blocks(kernels::BlockType type, const Tensor& weights) {
  if (type != kernels::BlockType::kQ8_0 && type != kernels::BlockType::kQ4_0) {
    fail<ShapeError>("quantised blocks", "cannot round to {}; expected Q8_0 or Q4_0",
                     kernels::format_of(type).name);
  }
  if (weights.dtype() != DType::kF32 && weights.dtype() != DType::kBF16) {
    fail<ShapeError>("quantised blocks", "the weights are {}; expected F32 or BF16",
                     name_of(weights.dtype()));
  }
  const Tensor w = weights.dtype() == DType::kF32 ? weights : weights.to(DType::kF32);
  std::string out(static_cast<size_t>(w.rows() * kernels::block_row_bytes(type, w.cols())), '\0');
  backend_of(w)(kernels::QuantiseBlocks{.w = w, .type = type, .blocks = out.data()});
  return out;
}

}  // namespace weft
