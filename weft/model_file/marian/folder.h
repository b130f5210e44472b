// Marian models in the format of Hugging Face Transformers: a folder with config.json,
// model.safetensors, vocab.json (and target_vocab.json if the target vocabulary differs) and, for
// subwords, source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_MARIAN_FOLDER_H_
#define WEFT_MODEL_FILE_MARIAN_FOLDER_H_

#include <string>

#include "weft/model_file/translator.h"

namespace weft::model_file {

// Reads a folder of regular files. Every tensor must be used and have the expected shape; stored
// positions must equal Marian's sinusoids, which Weft computes. Throws FileError, or FormatError
// naming the file and the field, tensor or token that is missing, unknown or not supported.
TranslatorSession read_marian(const std::string& folder);

// Writes a folder, creating it if needed. Files of a previous model that this one does not have are
// removed. Reading the folder restores the model bit for bit. Throws FileError; OptionError, before
// anything is written, for an option that Marian models do not support.
void write_marian(const std::string& folder, TranslatorSession& session);

// The largest absolute difference between the session's logits and those in a file written by
// tools/golden/logits.py: source.ids, source.offsets, target.ids and target.offsets (packed, with
// end symbols) and logits [N, V] of the target tokens. Throws FileError, FormatError.
double largest_logit_difference(const TranslatorSession& session, const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_FOLDER_H_
