// Encoder-decoders that start from another: what --from names.
#ifndef WEFT_TASKS_TRANSLATOR_START_H_
#define WEFT_TASKS_TRANSLATOR_START_H_

#include <string>

#include "weft/model_file/translator.h"

namespace weft::tasks {

// The model in a file or a folder of Transformers, with weights of its own. A Transformer has the
// dropout of `given`, another network that of its file. Throws what model_file::load_any() throws.
model_file::TranslatorSession translator_from(const std::string& path,
                                              const models::Seq2SeqOptions& given);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATOR_START_H_
