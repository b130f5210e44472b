// The architectures of Hugging Face Transformers that are read and written. One is its own files
// and a line here.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURES_H_

#include "weft/model_file/hugging_face/encoders/bert.h"
#include "weft/model_file/hugging_face/encoders/distil_bert.h"
#include "weft/model_file/hugging_face/encoders/modern_bert.h"
#include "weft/model_file/hugging_face/language_models/gemma3.h"
#include "weft/model_file/hugging_face/language_models/gpt2.h"
#include "weft/model_file/hugging_face/language_models/llama.h"
#include "weft/model_file/hugging_face/marian/marian.h"
#include "weft/model_file/hugging_face/t5/t5.h"
#include "weft/model_file/hugging_face/vit.h"

namespace weft::model_file {

// Of several that a model fits, the first is written.
inline constexpr const Architecture* kArchitectures[] = {
    &kMarian,
    &kT5,
    &kVit,
    &kLlama,
    &kMistral,
    &kQwen2,
    &kQwen3,
    &kGemma3,
    &kGpt2,
    // embedders, classifiers, taggers and masked language models
    &kBert,
    &kBertClassifier,
    &kBertTagger,
    &kBertMaskedLm,
    &kXlmRoberta,
    &kXlmRobertaClassifier,
    &kXlmRobertaTagger,
    &kXlmRobertaMaskedLm,
    &kRoberta,
    &kRobertaClassifier,
    &kRobertaTagger,
    &kRobertaMaskedLm,
    &kDistilBert,
    &kDistilBertClassifier,
    &kDistilBertTagger,
    &kDistilBertMaskedLm,
    &kModernBert,
    &kModernBertClassifier,
    &kModernBertTagger,
    &kModernBertMaskedLm,
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURES_H_
