// Checks of sentence lengths against the limits of the models.
#ifndef WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_
#define WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_

#include <string_view>

#include "weft/data/corpus/corpus.h"
#include "weft/models/seq2seq/seq2seq_options.h"

namespace weft::tasks {

// Throws OptionError about `option` if a sentence pair has more rows than the model's position
// tables, which the message calls `limit`.
void check_lengths(const data::Corpus& corpus, const models::Seq2SeqOptions& model,
                   std::string_view option = "--max-positions", std::string_view limit = "that");

// With --generation ctc, warns about targets that do not fit into the model's positions, and throws
// OptionError if none fits. `sets` is the option that names the corpus.
void check_ctc_targets(const data::Corpus& corpus, const models::GenerationKinds& generation,
                       std::string_view sets);

models::TargetLengths target_lengths(const data::Corpus& corpus);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_LENGTH_LIMITS_H_
