// The tokeniser and the chat templates of another system's model.
#ifndef WEFT_MODEL_FILE_FOREIGN_TOKENISER_ASSET_H_
#define WEFT_MODEL_FILE_FOREIGN_TOKENISER_ASSET_H_

#include <string>

#include "weft/data/chat/chat_templates.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/foreign/imported_contents.h"

namespace weft::model_file {

// Adds the tokeniser of a language model, and what it says of the symbols that begin and end texts.
// Throws FormatError, naming `where`, for a post-processor that adds other tokens than a begin
// symbol.
void add_tokeniser(const data::SubwordTokeniserPtr& tokeniser, const std::string& where,
                   ImportedContents& out);

// Adds the tokeniser of an encoder, and what it says of symbols. Throws FormatError, naming
// `where`, unless a text gets one symbol before it and one after it.
void add_encoder_tokeniser(const data::SubwordTokeniserPtr& tokeniser, const std::string& where,
                           ImportedContents& out);

// Adds the chat templates, if there are any; `where` is the file that they are from.
void add_chat_templates(const data::ChatTemplates& templates, ImportedContents& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_FOREIGN_TOKENISER_ASSET_H_
