// The architectures of GGUF that are read. One is its own files and a line here.
#ifndef WEFT_MODEL_FILE_GGUF_ARCHITECTURES_H_
#define WEFT_MODEL_FILE_GGUF_ARCHITECTURES_H_

#include "weft/model_file/gguf/bert.h"
#include "weft/model_file/gguf/gemma3.h"
#include "weft/model_file/gguf/gpt2.h"
#include "weft/model_file/gguf/llama.h"

namespace weft::model_file {

inline constexpr const GgufArchitecture* kGgufArchitectures[] = {
    &kGgufLlama, &kGgufQwen2, &kGgufQwen3, &kGgufGemma3, &kGgufGpt2, &kGgufBert,
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_ARCHITECTURES_H_
