// GPT-2.
#ifndef WEFT_MODEL_FILE_GGUF_GPT2_H_
#define WEFT_MODEL_FILE_GGUF_GPT2_H_

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

extern const GgufArchitecture kGgufGpt2;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GPT2_H_
