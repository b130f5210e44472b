// Vision Transformers: ViTForImageClassification of Transformers, with preprocessor_config.json of
// its ViTImageProcessor.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_VIT_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_VIT_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

extern const Architecture kVit;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_VIT_H_
