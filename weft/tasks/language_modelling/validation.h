// How well a language model predicts held-out text.
#ifndef WEFT_TASKS_LANGUAGE_MODELLING_VALIDATION_H_
#define WEFT_TASKS_LANGUAGE_MODELLING_VALIDATION_H_

#include <cstdint>

#include "weft/data/sequences/token_sequences.h"
#include "weft/models/language_model.h"

namespace weft::tasks {

struct TextLoss {
  double nll = 0;  // nats, of all labels
  int64_t labels = 0;
};

// Throws NumericError for a loss that is not a finite number.
TextLoss text_loss(const models::LanguageModel& model, const data::TokenSequences& sequences);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LANGUAGE_MODELLING_VALIDATION_H_
