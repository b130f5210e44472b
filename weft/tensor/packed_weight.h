// A weight matrix packed for inference, as numbers or in blocks of integers that share scales.
#ifndef WEFT_TENSOR_PACKED_WEIGHT_H_
#define WEFT_TENSOR_PACKED_WEIGHT_H_

#include <memory>
#include <span>
#include <string_view>

#include "weft/kernels/packed.h"
#include "weft/tensor/tensor.h"

namespace weft {

// A value handle: copies share the memory. kernels/packed.h defines the types and the layout.
class PackedWeight {
 public:
  PackedWeight() = default;  // empty
  // Converts weights [D_out, D_in] to `type`: F32, BF16, I8 with one scale per row, or rounds them
  // to Q8_0 or Q4_0. The weights are F32 or BF16, or I8 with F32 `scales` [D_out]. Throws
  // ShapeError for other types and scales.
  PackedWeight(const Tensor& weights, kernels::PackedType type, const Tensor& scales = {});
  // From the bytes of a tensor of a GGUF file, or of quantise_blocks(), which are no longer needed
  // then. Throws ShapeError if they are not those of `shape`.
  PackedWeight(kernels::BlockType type, const Shape& shape, std::string_view blocks);

  // Gathers these rows in the given order. Throws ShapeError for an index out of range.
  PackedWeight rows(std::span<const int32_t> indices) const;

  explicit operator bool() const { return static_cast<bool>(view_); }
  const kernels::Packed& view() const { return view_; }
  kernels::PackedType type() const { return view_.type; }
  Shape shape() const { return {view_.rows, view_.cols}; }
  // Of the panels.
  int64_t bytes() const { return kernels::packed_bytes(view_.type, view_.rows, view_.cols); }
  Tensor to_float32() const;

 private:
  PackedWeight(kernels::PackedType type, int64_t rows, int64_t cols);  // uninitialised
  std::byte* panels(int64_t row) const;  // that begin with this row, a multiple of 16
  float* scales() const { return const_cast<float*>(view_.scales); }
  int32_t* sums() const { return const_cast<int32_t*>(view_.sums); }
  // Pack the rows from `begin` on.
  void pack_numbers(int64_t begin, const Tensor& weights, const Tensor& scales);
  void pack_blocks(int64_t begin, int64_t end, const void* blocks);

  std::shared_ptr<std::byte> memory_;
  kernels::Packed view_;
};

}  // namespace weft

#endif  // WEFT_TENSOR_PACKED_WEIGHT_H_
