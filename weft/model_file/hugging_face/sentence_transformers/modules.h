// What sentence-transformers keeps beside the encoder of a folder: modules.json with pooling and
// the layers after it, prompts, and how much of a text is read.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULES_H_

#include <cstdint>
#include <string>

#include "weft/data/text/tokeniser.h"
#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// What of the encoder the modules depend on.
struct ModuleContext {
  const data::Tokeniser& tokeniser;
  int64_t features = 0;  // D
  int64_t length = 0;    // tokens of a text at most, special symbols included, by other files
};

// Sets the options of an embedder. A folder without modules.json is, as there, a mean of states.
// Throws FormatError naming the module or field that is not supported.
void read_modules(FolderReader& in, const ModuleContext& encoder);

// Throws OptionError for options that sentence-transformers does not have.
void write_modules(FolderWriter& out);

// The tensors of layers after the pooling.
void add_dense_names(const Json& options, NameMap& map);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_SENTENCE_TRANSFORMERS_MODULES_H_
