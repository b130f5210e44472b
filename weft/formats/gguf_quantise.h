// Floats to the element types of GGUF files.
#ifndef WEFT_FORMATS_GGUF_QUANTISE_H_
#define WEFT_FORMATS_GGUF_QUANTISE_H_

#include <span>
#include <string>

#include "weft/formats/gguf_blocks.h"

namespace weft::formats {

// Whole blocks of F32, F16, BF16, Q8_0 or Q4_0, with the bytes that llama.cpp makes of these
// numbers. Throws OptionError for another type.
std::string quantise(GgufType type, std::span<const float> numbers);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_QUANTISE_H_
