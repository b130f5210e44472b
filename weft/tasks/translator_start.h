// Encoder-decoders that start from another model: --from and --pretrained-model.
#ifndef WEFT_TASKS_TRANSLATOR_START_H_
#define WEFT_TASKS_TRANSLATOR_START_H_

#include <optional>
#include <string>

#include "weft/model_file/translator.h"
#include "weft/tasks/pretrained.h"

namespace weft::tasks {

// The model in a file or a folder of Transformers, with weights of its own. A Transformer has the
// dropout of `given`, another network that of its file. Throws what model_file::load_any() throws.
model_file::TranslatorSession translator_from(const std::string& path,
                                              const models::Seq2SeqOptions& given);

// The file of --pretrained-model, for a new model with these options; none where there is none.
// Throws what Pretrained does.
std::optional<Pretrained> pretrained_translator(const PretrainedOptions& options,
                                                const models::Seq2SeqOptions& model);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATOR_START_H_
