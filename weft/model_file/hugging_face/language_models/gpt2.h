// GPT-2: GPT2LMHeadModel of Transformers.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GPT2_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GPT2_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kGpt2;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GPT2_H_
