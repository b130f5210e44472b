// The vocabularies of a Marian model's folder: vocab.json (and target_vocab.json if the target
// vocabulary differs) and, for subwords, source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_
#define WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_

#include <string>
#include <vector>

#include "weft/model_file/translator.h"

namespace weft::model_file {

// The path of a file in a model's folder.
std::string path_in(const std::string& folder, const char* name);

// Returns the source and target tokenisers. A vocabulary without a SentencePiece model and without
// SentencePiece pieces is one of words. Throws FileError, or FormatError naming the file and the
// token, or the unsupported tokeniser files in the folder.
std::vector<data::TokeniserPtr> read_marian_tokenisers(const std::string& folder,
                                                       const models::Seq2SeqSizes& sizes);

// Also writes tokenizer_config.json, and removes files of a previous model that the session does
// not have.
void write_marian_tokenisers(const std::string& folder, const TranslatorSession& session);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_
