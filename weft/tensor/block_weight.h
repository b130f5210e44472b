// A weight matrix in blocks of integers of 4 to 8 bits that share scales, packed for inference.
#ifndef WEFT_TENSOR_BLOCK_WEIGHT_H_
#define WEFT_TENSOR_BLOCK_WEIGHT_H_

#include <span>
#include <string>
#include <string_view>

#include "weft/kernels/blocks.h"
#include "weft/tensor/tensor.h"

namespace weft {

// A value handle: copies share the memory. kernels/blocks.h defines the types and the layout.
class BlockWeight {
 public:
  BlockWeight() = default;  // empty
  // From the bytes of a tensor of a GGUF file, which are no longer needed then. Throws ShapeError
  // if they are not those of `shape`.
  BlockWeight(kernels::BlockType type, const Shape& shape, std::string_view blocks);
  // Rounds F32 or BF16 weights [D_out, D_in] to Q8_0 or Q4_0. Throws ShapeError for other types.
  BlockWeight(kernels::BlockType type, const Tensor& weights);

  // Gathers these rows in the given order. Throws ShapeError for an index out of range.
  BlockWeight rows(std::span<const int32_t> indices) const;

  explicit operator bool() const { return static_cast<bool>(view_); }
  const kernels::Blocks& view() const { return view_; }
  kernels::BlockType type() const { return view_.type; }
  Shape shape() const { return {view_.rows, view_.cols}; }
  // Of the memory.
  int64_t bytes() const { return kernels::blocks_bytes(view_.type, view_.rows, view_.cols); }
  Tensor to_float32() const;

 private:
  BlockWeight(kernels::BlockType type, int64_t rows, int64_t cols);  // uninitialised
  void pack(const void* blocks, int64_t begin, int64_t end);

  std::shared_ptr<std::byte> memory_;
  kernels::Blocks view_;
};

// Rounds F32 or BF16 weights to the bytes of a GGUF tensor of type Q8_0 or Q4_0, as llama.cpp does;
// columns are zero-padded to whole blocks of 32. Throws ShapeError for other types.
std::string quantise_blocks(kernels::BlockType type, const Tensor& weights);

}  // namespace weft

#endif  // WEFT_TENSOR_BLOCK_WEIGHT_H_
