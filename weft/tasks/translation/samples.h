// What a translation model makes of single sentences.
#ifndef WEFT_TASKS_TRANSLATION_SAMPLES_H_
#define WEFT_TASKS_TRANSLATION_SAMPLES_H_

#include <span>
#include <string>

#include "weft/model_file/translator.h"
#include "weft/train/task.h"

namespace weft::tasks {

// A picture of the cross-attention of a left-to-right model while it writes `target`, the mean of
// layers and heads: a row for each target token, a column for each source token, the end symbols
// included; the darker, the more attention. None for a model without attention probabilities.
std::vector<train::Sample::Picture> attention_pictures(const model_file::TranslatorSession& session,
                                                       std::span<const int32_t> source,
                                                       std::span<const int32_t> target);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_SAMPLES_H_
