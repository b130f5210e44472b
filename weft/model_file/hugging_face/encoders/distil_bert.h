// DistilBERT (Sanh et al. 2019, arXiv 1910.01108).
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_DISTIL_BERT_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_DISTIL_BERT_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kDistilBert, kDistilBertClassifier, kDistilBertTagger,
    kDistilBertMaskedLm;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_DISTIL_BERT_H_
