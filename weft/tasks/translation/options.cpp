#include "weft/tasks/translation/options.h"

#include <algorithm>

#include "weft/core/text/counted.h"
#include "weft/metrics/text/text_metrics.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

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
}

void check_guidance(const TranslationOptions& o) {
  const GuidanceOptions& guidance = o.objective.guidance;
  if (!guidance.guided_alignment.empty() && o.data.max_length_crop) {
    fail<OptionError>("--guided-alignment", "contradicts --max-length-crop; expected one of them");
  }
  if (guidance.is_on() && o.loop.gradient_checkpointing) {
    fail<OptionError>("--gradient-checkpointing",
                      "contradicts guided attention; expected one of them");
  }
}

}  // namespace

void TranslationOptions::check_model(const models::Seq2SeqOptions& trained) const {
  objective.guidance.validate(trained);
  check_averages(*this, trained.encoder.transformer);
  check_objective(objective, trained);
  if (!trained.is_left_to_right() && valid_translations.beam_size != 1) {
    fail<OptionError>("--valid-beam-size",
                      "a model of --generation {} has no beam; expected 1, got {}",
                      trained.generation.name(), valid_translations.beam_size);
  }
  check_gradient_checkpointing(*this, trained.is_transformer(), trained.type.name());
}

void TranslationOptions::check_start() const {
  if (!from.empty()) return check_beside_from(model, data, pretrained);
  if (data.vocabs.size() != 2) {
    fail<OptionError>("--vocabs", "expected two vocabularies, source and target, or --from; got {}",
                      data.vocabs.size());
  }
  if (model.shares_table() && data.vocabs[0] != data.vocabs[1]) {
    fail<OptionError>(model.tied_embeddings_all ? "--tied-embeddings-all" : "--tied-embeddings-src",
                      "needs a joint vocabulary; got '{}' and '{}'; hint: give the same "
                      "file twice in --vocabs",
                      data.vocabs[0], data.vocabs[1]);
  }
}

void TranslationOptions::validate() const {
  models::check(model);
  TaskOptions::validate(TranslationOptions());
  objective.validate();
  if (objective.data_weighting_type.is<WordWeights>() && data.max_length_crop) {
    fail<OptionError>("--data-weighting-type",
                      "token weights contradict --max-length-crop; expected one of them");
  }
  check_guidance(*this);
  check_train_sets(data.train_sets, "a source and a target file");
  check_start();
  check_validation(*this);
  if (from.empty()) check_model(model);
}

}  // namespace weft::tasks
