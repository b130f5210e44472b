// ModernBERT (Warner et al. 2024, arXiv 2412.13663).
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_MODERN_BERT_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_MODERN_BERT_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kModernBert, kModernBertClassifier, kModernBertTagger,
    kModernBertMaskedLm;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_MODERN_BERT_H_
