// The vocab.txt of BERT, a token a line, as a tokenizer.json.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_WORD_PIECES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_WORD_PIECES_H_

#include <string>

#include "weft/model_file/foreign/fields.h"

namespace weft::model_file {

// The text of a tokenizer.json as BertTokenizer makes it of these tokens; `path` is their file, and
// `settings` is tokenizer_config.json. Throws FormatError.
std::string word_piece_json(const std::string& tokens, const std::string& path, Fields& settings);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_WORD_PIECES_H_
