// The tokeniser of a T5 model's folder, tokenizer.json.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_T5_TOKENISER_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_T5_TOKENISER_H_

#include <cstdint>
#include <string>

#include "weft/data/subwords/subword_tokeniser.h"

namespace weft::model_file {

// Throws FileError for a folder without one, FormatError for one that is not supported.
data::SubwordTokeniserPtr read_t5_tokeniser(const std::string& folder);

// The tables of T5 have more rows than its tokeniser has tokens: <unused_N>, which no text spells,
// stands for the others, up to `size`.
data::SubwordTokeniserPtr with_unused_tokens(const data::SubwordTokeniser& tokeniser, int64_t size);
// The same without them.
data::SubwordTokeniserPtr without_unused_tokens(const data::SubwordTokeniser& tokeniser);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_T5_TOKENISER_H_
