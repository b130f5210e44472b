#include "weft/tasks/translation/options.h"

#include <algorithm>

#include "weft/core/text/counted.h"
#include "weft/metrics/text/text_metrics.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

void check_combinations(const TranslationOptions& o) {
  if (o.objective.data_weighting_type.is<WordWeights>() && o.data.max_length_crop) {
    fail<OptionError>("--data-weighting-type",
                      "token weights contradict --max-length-crop; expected one of them");
  }
  o.objective.guidance.validate(o.model);
  if (!o.objective.guidance.guided_alignment.empty() && o.data.max_length_crop) {
    fail<OptionError>("--guided-alignment", "contradicts --max-length-crop; expected one of them");
  }
  if (o.objective.guidance.is_on() && o.loop.gradient_checkpointing) {
    fail<OptionError>("--gradient-checkpointing",
                      "contradicts guided attention; expected one of them");
  }
  check_averages(o, o.model.encoder.transformer);
}

void check_validation(const TranslationOptions& o) {
  const train::ValidationOptions& validation = o.validation;
  check_validation_unset(o);
  if (validation.valid_sets.empty()) return;
  const size_t sides = o.data.tsv ? 1 : 2;
  if (validation.valid_sets.size() != sides) {
    fail<OptionError>("--valid-sets", "expected {}; got {}",
                      counted(static_cast<int64_t>(sides), "file"), validation.valid_sets.size());
  }
  const bool translates = std::ranges::any_of(
      validation.valid_metrics, [](const auto& m) { return metrics::is_text_metric(m); });
  options::check_unread(
      o.valid_translations, [&](std::string_view) { return translates; },
      "without a metric of translations among --valid-metrics");
  if (!o.model.is_left_to_right() && o.valid_translations.beam_size != 1) {
    fail<OptionError>("--valid-beam-size",
                      "a model of --generation {} has no beam; expected 1, got {}",
                      o.model.generation.name(), o.valid_translations.beam_size);
  }
}

}  // namespace

void TranslationOptions::validate() const {
  models::check(model);
  TrainOptions::validate(TranslationOptions());
  objective.validate();
  check_combinations(*this);
  check_objective(objective, model);
  check_train_sets(data.train_sets, "a source and a target file");
  if (data.vocabs.size() != 2) {
    fail<OptionError>("--vocabs", "expected two vocabularies, source and target; got {}",
                      data.vocabs.size());
  }
  check_validation(*this);
  if (model.tied_embeddings_all && data.vocabs[0] != data.vocabs[1]) {
    fail<OptionError>("--tied-embeddings-all",
                      "needs a joint vocabulary; got '{}' and '{}'; hint: give the same "
                      "file twice in --vocabs",
                      data.vocabs[0], data.vocabs[1]);
  }
  check_gradient_checkpointing(*this, model.is_transformer(), model.type.name());
}

}  // namespace weft::tasks
