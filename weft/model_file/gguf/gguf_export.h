// Writes language models and embedders as GGUF.
#ifndef WEFT_MODEL_FILE_GGUF_GGUF_EXPORT_H_
#define WEFT_MODEL_FILE_GGUF_GGUF_EXPORT_H_

#include <string>

#include "weft/formats/gguf_blocks.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {

// Writes a file, atomically, in the format of the first architecture of GGUF that has all the
// model's options. Matrices have this type, F32, F16, BF16, Q8_0 or Q4_0, norms, biases and
// positions F32. A matrix whose rows are not whole blocks is written as F16; with Q4_0 the output
// matrix is written as Q8_0.
// Throws FileError; OptionError for an option or a tokeniser that GGUF does not have.
void write_gguf(const std::string& path, const LanguageModelSession& session,
                formats::GgufType type);
void write_gguf(const std::string& path, const EmbedderSession& session, formats::GgufType type);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GGUF_EXPORT_H_
