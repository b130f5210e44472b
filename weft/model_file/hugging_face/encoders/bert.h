// BERT (Devlin et al. 2019): BertModel of Transformers as an embedder.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kBert;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_BERT_H_
