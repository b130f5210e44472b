// The exponent of the length that divides scores of translations, length_penalty: that of
// generation_config.json, or else of config.json.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LENGTH_PENALTY_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LENGTH_PENALTY_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

void read_length_penalty(FolderReader& in);
// Writes none where it is Weft's default.
void write_length_penalty(FolderWriter& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LENGTH_PENALTY_H_
