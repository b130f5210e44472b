// Whether a text fits into the models that train on it.
#ifndef WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_
#define WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_

#include <string_view>

#include "weft/data/corpus.h"
#include "weft/models/seq2seq_options.h"

namespace weft::tasks {

// Position tables have a fixed number of rows: throws OptionError where a pair of sentences has
// more than the model's, or than those of its teacher, if any.
void check_lengths(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                   const models::Seq2SeqOptions* teacher);

// Warns of targets in `sets`, the option that names them, that the positions of --generation ctc
// cannot spell; throws OptionError where all are such.
void check_ctc_targets(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                       std::string_view sets);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_
