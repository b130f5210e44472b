// Gemma 3, text alone: Gemma3ForCausalLM of Transformers.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GEMMA3_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GEMMA3_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kGemma3;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GEMMA3_H_
