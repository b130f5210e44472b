// Reads adapters of PEFT: folders with adapter_config.json and adapter_model.safetensors.
#ifndef WEFT_MODEL_FILE_PEFT_READ_PEFT_H_
#define WEFT_MODEL_FILE_PEFT_READ_PEFT_H_

#include <string>

#include "weft/model_file/adapter.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

// Whether it is a folder with adapter_config.json.
bool is_peft_folder(const std::string& path);

// The adapter of a model, which may be packed. Throws FileError; FormatError, naming the file and
// the field or tensor that is missing, unknown, not supported or not of this model; OptionError for
// a model that is none of Transformers.
Adapter read_peft(const std::string& folder, LanguageModelSession& session);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_READ_PEFT_H_
