// What a language model makes of the beginnings of texts.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_SAMPLES_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_SAMPLES_H_

#include <span>
#include <vector>

#include "weft/data/sequences/training_texts.h"
#include "weft/model_file/language_model.h"
#include "weft/train/task.h"

namespace weft::tasks {

inline constexpr size_t kSampledTexts = 3;

// Continues the prompts of these texts by the most probable tokens: what is before a completion,
// the messages before the last of the assistant, or the beginning of a text, which is drawn by
// sampling. Throws NumericError where the scores are not finite.
std::vector<train::Sample> samples_of(const model_file::LanguageModelSession& session,
                                      std::span<const data::TrainingText> texts);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_SAMPLES_H_
