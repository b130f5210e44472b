// Gemma 3, text alone.
#ifndef WEFT_MODEL_FILE_GGUF_GEMMA3_H_
#define WEFT_MODEL_FILE_GGUF_GEMMA3_H_

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

extern const GgufArchitecture kGgufGemma3;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GEMMA3_H_
