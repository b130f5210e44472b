// Llama and what differs from it in a few options: SmolLM2 and Mistral are "llama" too.
#ifndef WEFT_MODEL_FILE_GGUF_LLAMA_H_
#define WEFT_MODEL_FILE_GGUF_LLAMA_H_

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

extern const GgufArchitecture kGgufLlama, kGgufQwen2, kGgufQwen3;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_LLAMA_H_
