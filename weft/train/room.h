// Whether a text fits into the models that train on it.
#ifndef WEFT_TRAIN_ROOM_H_
#define WEFT_TRAIN_ROOM_H_

#include <string_view>

#include "weft/data/corpus.h"
#include "weft/models/seq2seq_options.h"

namespace weft::train {

// Tables of places have so many rows and no more: throws OptionError where a pair of sentences has
// more than the model's, or than those of its teacher, if any.
void check_room(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                const models::Seq2SeqOptions* teacher);

// Warns of targets in `sets`, the option that names them, that the positions of --generation ctc
// cannot spell; throws OptionError where all are such.
void check_ctc_targets(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                       std::string_view sets);

}  // namespace weft::train

#endif  // WEFT_TRAIN_ROOM_H_
