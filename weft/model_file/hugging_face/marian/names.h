// The tensors of Marian models, which have Weft's names and another order of features.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_NAMES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_NAMES_H_

#include "weft/model_file/foreign/fields.h"
#include "weft/model_file/foreign/name_map.h"

namespace weft::model_file {

NameMap marian_names(const Json& options);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_NAMES_H_
