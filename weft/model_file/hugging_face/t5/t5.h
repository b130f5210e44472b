// T5 and its later versions, T5 v1.1 and FLAN-T5: T5ForConditionalGeneration of Transformers, with
// tokenizer.json (Raffel et al. 2020, arXiv 1910.10683).
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_T5_T5_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_T5_T5_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// The first version has one table for embeddings and output, and scales the states before the
// output by 1 / sqrt(D). Later ones have an output matrix of their own and no scale.
extern const Architecture kT5;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_T5_T5_H_
