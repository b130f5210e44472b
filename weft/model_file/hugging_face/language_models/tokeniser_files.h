// The tokeniser of a language model's folder, tokenizer.json or else tokenizer.model, and its chat
// templates.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_TOKENISER_FILES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_TOKENISER_FILES_H_

#include <string>

#include "weft/data/chat/chat_templates.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/foreign/imported_contents.h"

namespace weft::model_file {

// From the tokenizer.json at `path`, in a folder whose tokenizer_config.json, if there is one, says
// which tokens are special. Throws FileError, FormatError.
data::SubwordTokeniserPtr load_tokenizer(const std::string& folder, const std::string& path);

// Throws FileError for a folder without a tokeniser, FormatError for one that is not supported.
void read_tokeniser(const std::string& folder, ImportedContents& out);
// `adds_begin` is for a tokenizer.model. Throws OptionError for a tokeniser that Transformers does
// not have.
void write_tokeniser(const std::string& folder, const data::Tokeniser& tokeniser,
                     const data::ChatTemplates& templates, bool adds_begin = true);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_TOKENISER_FILES_H_
