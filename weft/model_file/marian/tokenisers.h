// The vocabularies of a Marian model's folder: vocab.json (target_vocab.json too where the sides
// differ) and, for subwords, source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_
#define WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_

#include <string>
#include <vector>

#include "weft/model_file/seq2seq.h"

namespace weft::model_file {

// Source and target. Words are what has no SentencePiece model beside it and no entry that only
// such a model makes. Throws FileError, or FormatError naming the file and the token, or what the
// folder has in place of a SentencePiece model.
std::vector<data::TokeniserPtr> read_marian_tokenisers(const std::string& folder,
                                                       const models::Seq2SeqSizes& sizes);

// With tokenizer_config.json; what of an earlier model's files the session lacks is removed.
void write_marian_tokenisers(const std::string& folder, const Session& session);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_TOKENISERS_H_
