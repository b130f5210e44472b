// The tokeniser of an encoder's folder: tokenizer.json, or else the vocab.txt of BERT.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_TOKENISER_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_TOKENISER_H_

#include <cstdint>

#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// The tokens of a text, special symbols included, that a model reads at most, of
// tokenizer_config.json; 0: it does not say.
struct EncoderTokeniser {
  data::SubwordTokeniserPtr tokeniser;
  int64_t max_length = 0;
};

// Adds the tokeniser and sets the options that it fixes. Throws FileError for a folder without one,
// FormatError for one that is not supported, or that puts other symbols around a text than one
// before and one after it.
EncoderTokeniser read_encoder_tokeniser(FolderReader& in);

// Its files, and the ids of symbols in config.json. `max_length` as above. `has_types`: the model
// reads token types. Throws OptionError for a tokeniser that Transformers does not have.
void write_encoder_tokeniser(FolderWriter& out, int64_t max_length, bool has_types);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_TOKENISER_H_
