// Weights rounded to integers, as files hold them.
#ifndef WEFT_TENSOR_QUANTISE_H_
#define WEFT_TENSOR_QUANTISE_H_

#include <string>

#include "weft/kernels/blocks.h"
#include "weft/tensor/tensor.h"

namespace weft {

// Weights [D_out, D_in] as I8 integers with an F32 scale per row [D_out].
struct QuantisedRows {
  Tensor integers, scales;
};
QuantisedRows quantise_rows(const Tensor& weights);
// Returns F32 weights. Throws ShapeError unless the scales are F32 [D_out].
Tensor dequantise_rows(const QuantisedRows& rows);

// Rounds F32 or BF16 weights to the bytes of a GGUF tensor of type Q8_0 or Q4_0, as llama.cpp does;
// columns are zero-padded to whole blocks of 32. Throws ShapeError for other types.
std::string quantise_blocks(kernels::BlockType type, const Tensor& weights);

}  // namespace weft

#endif  // WEFT_TENSOR_QUANTISE_H_
