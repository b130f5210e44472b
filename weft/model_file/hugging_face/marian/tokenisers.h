// The vocabularies of a Marian model's folder: vocab.json (and target_vocab.json if the target
// vocabulary differs) and, for subwords, source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_TOKENISERS_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_TOKENISERS_H_

#include <cstdint>
#include <string>

#include "weft/data/text/tokeniser.h"

namespace weft::model_file {

struct MarianTokenisers {
  // One and the same if the folder has one for both.
  data::TokeniserPtr source = nullptr, target = nullptr;
  bool is_joint = false;  // one vocabulary, even with separate subword models
};

// A vocabulary without a SentencePiece model and without SentencePiece pieces is one of words.
// Throws FileError, or FormatError naming the file and the token, or the unsupported tokeniser
// files in the folder.
MarianTokenisers read_marian_tokenisers(const std::string& folder, int64_t source_size,
                                        int64_t target_size);

// Also writes tokenizer_config.json, with these symbols of the target.
void write_marian_tokenisers(const std::string& folder, const MarianTokenisers& tokenisers,
                             int32_t begin_id, int32_t end_id);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_TOKENISERS_H_
