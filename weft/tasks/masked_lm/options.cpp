#include "weft/tasks/masked_lm/options.h"

#include <utility>

#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

MaskedLmTrainingOptions::MaskedLmTrainingOptions() {
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_metrics = {"cross-entropy"};
}

models::MaskedLmOptions MaskedLmTrainingOptions::gone_on_from(models::MaskedLmOptions found) const {
  check_same_head(model.head, found.head);
  found.encoder = tasks::started_from(std::move(found.encoder), model.encoder);
  return found;
}

models::MaskedLmOptions MaskedLmTrainingOptions::started_from(
    const models::TextEncoderOptions& found) const {
  return {.encoder = tasks::started_from(found, model.encoder), .head = model.head};
}

void MaskedLmTrainingOptions::validate() const {
  model.check();
  masking.check();
  options::check_scopes(*this);
  TaskOptions::validate(MaskedLmTrainingOptions());
  check_train_sets(data.train_sets, "lines of text");
  start.check(model, data, pretrained);
  check_averages(*this, model.encoder.transformer);
  if (!start.is_used()) {
    check_gradient_checkpointing(*this, model.encoder.is_transformer(), model.encoder.type.name());
  }
  check_validation_unset(*this);
}

}  // namespace weft::tasks
