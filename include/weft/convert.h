// Model files: from and to other systems, smaller, averaged.
#ifndef WEFT_CONVERT_H_
#define WEFT_CONVERT_H_

#include <string>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

// Each takes the options of the command of the same name, throws OptionError, FileError and
// FormatError, leaves no file half-written and replaces no model that a training is writing
// (FileError).

// Converts models from and to Hugging Face Transformers, GGUF and PEFT, and compares models
// (`check`). Returns what the comparisons found, as lines of text. Throws NumericError where a
// comparison fails.
WEFT_API std::string convert(const Options& options);
WEFT_API const OptionSchema& convert_schema();

// Rounds the matrices of `model` to `precision` (int8, int4, bfloat16, float32) into `output`.
WEFT_API void quantize(const Options& options);
WEFT_API const OptionSchema& quantize_schema();

// Writes the mean of the weights of several models of one network, `model`, into `output`.
WEFT_API void average(const Options& options);
WEFT_API const OptionSchema& average_schema();

}  // namespace weft

#endif  // WEFT_CONVERT_H_
