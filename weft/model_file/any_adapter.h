// Adapters of language models in any format that is read.
#ifndef WEFT_MODEL_FILE_ANY_ADAPTER_H_
#define WEFT_MODEL_FILE_ANY_ADAPTER_H_

#include <string>

#include "weft/model_file/adapter.h"
#include "weft/model_file/any_model.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

// The option of commands that read an adapter.
template <class V>
void adapter_field(V& v, std::string& path) {
  v("lora", path,
    {.help = "adapter of the language model: a file of weft train language-model --lora-rank, or a "
             "folder of PEFT",
     .reads = true});
}

// The adapter of a model: a file of weft train --lora-rank, or a folder of PEFT. Throws what
// read_adapter() and read_peft() throw.
Adapter read_any_adapter(const std::string& path, LanguageModelSession& session);
// Gives the model that adapter. Throws the same, and what attach() throws.
void attach_adapter(LanguageModelSession& session, const std::string& path);

// Adds the updates of an adapter to the weights, which are F32 and not packed.
void merge_adapter(LanguageModelSession& session);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_ANY_ADAPTER_H_
