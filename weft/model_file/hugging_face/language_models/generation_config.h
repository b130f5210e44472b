// generation_config.json: the options that generate() of Transformers has for a model.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GENERATION_CONFIG_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GENERATION_CONFIG_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// The symbols that begin and end texts: those of generation_config.json, or else of config.json.
// Options of sampling and search are the user's, and are not read. Throws FormatError for a field
// that limits or forces tokens, and for one that is unknown.
void read_begin_and_ends(FolderReader& in);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_GENERATION_CONFIG_H_
