// Marian's translators: MarianMTModel of Transformers, with vocab.json (and target_vocab.json if
// the target vocabulary differs) and, for subwords, source.spm and target.spm.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_MARIAN_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_MARIAN_H_

#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// Stored positions must equal Marian's sinusoids, which Weft computes.
extern const Architecture kMarian;

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_MARIAN_MARIAN_H_
