// Llama and what differs from it in a few options: LlamaForCausalLM, MistralForCausalLM,
// Qwen2ForCausalLM and Qwen3ForCausalLM of Transformers.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_LLAMA_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_LLAMA_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kLlama;    // SmolLM2 too
extern const Architecture kMistral;  // with a sliding window
extern const Architecture kQwen2;    // with biases of queries, keys and values
extern const Architecture kQwen3;    // with norms of queries and keys

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_LLAMA_H_
