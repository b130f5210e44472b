// Floats to the element types of GGUF files.
#ifndef WEFT_FORMATS_GGUF_QUANTISE_H_
#define WEFT_FORMATS_GGUF_QUANTISE_H_

#include <string>

#include "weft/formats/gguf_blocks.h"
#include "weft/tensor/tensor.h"

namespace weft::formats {

// Dense F32 numbers as F32, F16, BF16, Q8_0 or Q4_0, with the bytes that llama.cpp makes of them;
// rows are whole blocks. Throws OptionError for another type.
std::string quantise(GgufType type, const Tensor& numbers);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_QUANTISE_H_
