#include "weft/tasks/language_modelling/options.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

data::TextFormat TextDataOptions::text_format() const {
  if (format == "auto") return data::TextFormat::kByName;
  if (format == "documents") return data::TextFormat::kDocuments;
  return format == "lines" ? data::TextFormat::kLines : data::TextFormat::kJsonLines;
}

LanguageModellingOptions::LanguageModellingOptions() {
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_metrics = {"cross-entropy"};
}

void LanguageModellingOptions::check_start() const {
  low_rank.validate();
  if (from.empty()) {
    if (low_rank.is_used()) {
      fail<OptionError>("--lora-rank", "expected --from, a model whose weights are kept");
    }
    if (data.vocabs.size() == 1) return;
    fail<OptionError>("--vocabs", "expected one vocabulary, or --from, got {}", data.vocabs.size());
  }
  check_beside_from(model, data, pretrained);
}

models::LanguageModelOptions LanguageModellingOptions::started_from(
    models::LanguageModelOptions found) const {
  found.layers.transformer = with_dropout_of(found.layers.transformer, model.layers.transformer);
  return found;
}

void LanguageModellingOptions::check_length(const models::LanguageModelOptions& trained) const {
  if (data.max_length <= trained.context()) return;
  fail<OptionError>("--max-length", "{} is over the positions of the model; expected at most {}",
                    data.max_length, trained.context());
}

void LanguageModellingOptions::validate() const {
  model.check();
  options::check_scopes(*this);
  TaskOptions::validate(LanguageModellingOptions());
  check_train_sets(data.train_sets, "text");
  check_start();
  if (from.empty()) check_length(model);
  check_averages(*this, model.layers.transformer);
  check_validation_unset(*this);
}

}  // namespace weft::tasks
