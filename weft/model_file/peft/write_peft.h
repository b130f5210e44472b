// Writes adapters as folders of PEFT.
#ifndef WEFT_MODEL_FILE_PEFT_WRITE_PEFT_H_
#define WEFT_MODEL_FILE_PEFT_WRITE_PEFT_H_

#include <string>

#include "weft/model_file/adapter.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

// Writes the adapter of a model, completely or not at all. `base_model` is the name or path of the
// model for PEFT. Throws FileError, also for a folder that exists and is not empty; FormatError for
// an adapter of another model; OptionError for a model that is none of Transformers.
void write_peft(const std::string& folder, const Adapter& adapter, LanguageModelSession& session,
                const std::string& base_model);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_PEFT_WRITE_PEFT_H_
