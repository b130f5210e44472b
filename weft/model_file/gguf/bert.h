// BERT (Devlin et al. 2019) without a head, as an embedder.
#ifndef WEFT_MODEL_FILE_GGUF_BERT_H_
#define WEFT_MODEL_FILE_GGUF_BERT_H_

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

extern const GgufArchitecture kGgufBert;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_BERT_H_
