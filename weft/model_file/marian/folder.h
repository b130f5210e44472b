// Marian models as Hugging Face Transformers keeps them: a folder of config.json,
// model.safetensors, vocab.json (target_vocab.json too where the sides differ) and, for subwords,
// source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_MARIAN_FOLDER_H_
#define WEFT_MODEL_FILE_MARIAN_FOLDER_H_

#include <string>

#include "weft/model_file/seq2seq.h"

namespace weft::model_file {

// Reads a folder of files; pipes and devices are refused. Every tensor has to be used once and to
// have its shape; positions, which Weft computes, have to be Marian's sinusoids. Throws FileError,
// or FormatError naming the file and the field, tensor or token that is missing, unknown or not
// supported.
Session read_marian(const std::string& folder);

// Writes a folder, made where there is none; what of an earlier model's files this one lacks is
// removed, and reading it gives the same model to the bit. Throws FileError, and OptionError naming
// the option that Marian models do not have, before anything is written.
void write_marian(const std::string& folder, Session& session);

// The largest difference between the session's logits and those in a file of
// tools/golden/logits.py: source.ids and source.offsets, target.ids and target.offsets (packed, end
// symbols included) and logits [N, V] for each target token. Throws FileError, FormatError.
double largest_logit_difference(const Session& session, const std::string& path);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MARIAN_FOLDER_H_
