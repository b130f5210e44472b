#include "weft/tasks/language_modelling/options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

LanguageModellingOptions::LanguageModellingOptions() {
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_metrics = {"cross-entropy"};
}

void LanguageModellingOptions::validate() const {
  model.check();
  options::check_scopes(*this);
  TrainOptions::validate(LanguageModellingOptions());
  check_train_sets(data.train_sets, "text");
  if (data.vocabs.size() != 1) {
    fail<OptionError>("--vocabs", "expected one vocabulary, got {}", data.vocabs.size());
  }
  if (data.max_length > model.context()) {
    fail<OptionError>("--max-length", "{} is over --max-positions; expected at most {}",
                      data.max_length, model.context());
  }
  check_averages(*this, model.layers.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
