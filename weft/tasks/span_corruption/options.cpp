#include "weft/tasks/span_corruption/options.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

SpanCorruptionOptions::SpanCorruptionOptions() {
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_metrics = {"cross-entropy"};
}

data::VocabularyText SpanCorruptionOptions::vocabulary_text() const {
  data::VocabularyText out = data.vocabulary_text();
  for (int64_t i = 0; i < sentinels; ++i) out.symbols.push_back(sentinel(i));
  return out;
}

void SpanCorruptionOptions::check_model(const models::Seq2SeqOptions& trained) const {
  if (!trained.is_left_to_right()) {
    fail<OptionError>(from.empty() ? "--generation" : "--from",
                      "expected a model that generates left-to-right, got {}",
                      trained.generation.name());
  }
  check_averages(*this, trained.encoder.transformer);
  check_gradient_checkpointing(*this, trained.is_transformer(), trained.type.name());
}

void SpanCorruptionOptions::validate() const {
  models::check(model);
  options::check_scopes(*this);
  TaskOptions::validate(SpanCorruptionOptions());
  check_train_sets(data.train_sets, "lines of text");
  check_validation_unset(*this);
  if (from.empty()) {
    if (data.vocabs.size() == 1) return check_model(model);
    fail<OptionError>("--vocabs", "expected one vocabulary, or --from; got {}", data.vocabs.size());
  }
  check_beside_from(model, data, pretrained);
  const int64_t plain = SpanCorruptionOptions().sentinels;
  if (sentinels == plain) return;
  fail<OptionError>("--sentinels", "is not read with --from; expected its default, {}", plain);
}

}  // namespace weft::tasks
