// A weight matrix packed for inference, in the precision of its matrix products.
#ifndef WEFT_TENSOR_PACKED_WEIGHT_H_
#define WEFT_TENSOR_PACKED_WEIGHT_H_

#include <span>

#include "weft/kernels/packed.h"
#include "weft/tensor/tensor.h"

namespace weft {

// A value handle: copies share the memory. kernels/packed.h defines the layout.
class PackedWeight {
 public:
  PackedWeight() = default;  // empty
  // Converts weights [D_out, D_in] to `type`: F32, BF16, or I8 with one scale per row. The weights
  // are F32 or BF16, or I8 with F32 `scales` [D_out]. Throws ShapeError for other types and scales.
  PackedWeight(const Tensor& weights, DType type, const Tensor& scales = {});

  // Gathers these rows in the given order. Throws ShapeError for an index out of range.
  PackedWeight rows(std::span<const int32_t> indices) const;

  explicit operator bool() const { return static_cast<bool>(view_); }
  const kernels::Packed& view() const { return view_; }
  DType dtype() const { return view_.dtype; }
  Shape shape() const { return {view_.rows, view_.cols}; }

 private:
  PackedWeight(DType type, int64_t rows, int64_t cols);  // uninitialised
  float* scales() const { return const_cast<float*>(view_.scales); }
  int32_t* sums() const { return const_cast<int32_t*>(view_.sums); }

  std::shared_ptr<std::byte> memory_;
  kernels::Packed view_;
};

// Weights [D_out, D_in] as I8 integers with an F32 scale per row [D_out].
struct QuantisedRows {
  Tensor integers, scales;
};
QuantisedRows quantise_rows(const Tensor& weights);
// Returns F32 weights. Throws ShapeError unless the scales are F32 [D_out].
Tensor dequantise_rows(const QuantisedRows& rows);

}  // namespace weft

#endif  // WEFT_TENSOR_PACKED_WEIGHT_H_
