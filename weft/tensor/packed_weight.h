// A matrix of weights laid out for inference, in the precision that products with it run in.
#ifndef WEFT_TENSOR_PACKED_WEIGHT_H_
#define WEFT_TENSOR_PACKED_WEIGHT_H_

#include <span>

#include "weft/kernels/packed.h"
#include "weft/tensor/tensor.h"

namespace weft {

// A handle: copies share the memory. See kernels/packed.h for the layout.
class PackedWeight {
 public:
  PackedWeight() = default;  // empty
  // Rounds weights [D_out, D_in] to `type`: F32, BF16, or I8 with a scale for each row. They are
  // F32 or BF16, or I8 with `scales` [D_out] (F32). Throws ShapeError for other types and scales.
  PackedWeight(const Tensor& weights, DType type, const Tensor& scales = {});

  // Of these rows alone, in this order. Throws ShapeError for one outside the matrix.
  PackedWeight rows(std::span<const int32_t> wanted) const;

  explicit operator bool() const { return static_cast<bool>(view_); }
  const kernels::Packed& view() const { return view_; }
  DType dtype() const { return view_.dtype; }
  Shape shape() const { return {view_.rows, view_.cols}; }

 private:
  PackedWeight(DType type, int64_t rows, int64_t cols);  // memory alone
  float* scales() const { return const_cast<float*>(view_.scales); }
  int32_t* sums() const { return const_cast<int32_t*>(view_.sums); }

  std::shared_ptr<std::byte> memory_;
  kernels::Packed view_;
};

// Weights [D_out, D_in] as integers with a scale for each row [D_out]: I8 and F32 of F32.
struct QuantisedRows {
  Tensor integers, scales;
};
QuantisedRows quantise_rows(const Tensor& weights);
// The F32 that they stand for; throws ShapeError where the scales are not [D_out] F32.
Tensor dequantise_rows(const QuantisedRows& rows);

}  // namespace weft

#endif  // WEFT_TENSOR_PACKED_WEIGHT_H_
