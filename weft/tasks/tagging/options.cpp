#include "weft/tasks/tagging/options.h"

#include <algorithm>

#include "weft/formats/options_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

bool has_metric(const TaggingOptions& o, std::string_view name) {
  return std::ranges::find(o.validation.valid_metrics, name) != o.validation.valid_metrics.end();
}

void check_validation(const TaggingOptions& o) {
  check_validation_unset(o);
  if (o.validation.valid_sets.empty()) return;
  const bool has_words = !o.labels.word_labels.empty(), has_texts = !o.labels.text_labels.empty();
  require_option(has_words || (!has_metric(o, "accuracy") && !has_metric(o, "span-f1")),
                 "--valid-metrics", "accuracy and span-f1 are of words; expected --word-labels");
  require_option(has_texts || !has_metric(o, "text-accuracy"), "--valid-metrics",
                 "text-accuracy is of labels of texts; expected --text-labels");
}

void check_fields(const TaggingOptions& o) {
  std::vector<int64_t> all = {o.data.text.text_field};
  for (size_t c = 0; c < o.labels.columns(); ++c) all.push_back(o.labels.field_of(c));
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end()) {
    fail<OptionError>("--word-labels",
                      "field {} stands twice among the text, --word-labels and --text-labels; "
                      "expected different ones",
                      *twice);
  }
  require_option(!o.labels.word_labels.empty(), "--word-labels",
                 "expected at least one field; hint: weft train classification has labels of texts "
                 "alone");
}

}  // namespace

std::vector<data::LabelField> TagFieldOptions::label_fields() const {
  std::vector<data::LabelField> out;
  for (const int64_t field : word_labels) out.push_back({.field = field});
  for (const int64_t field : text_labels) out.push_back({.field = field, .is_of_line = true});
  return out;
}

std::vector<double> TaggingObjectiveOptions::weights(size_t columns) const {
  return label_weights.empty() ? std::vector<double>(columns, 1) : label_weights;
}

// Data sets of text with labels are small beside those of translation.
TaggingOptions::TaggingOptions() {
  loop.save_freq = Period::epochs(1);
  batching.mini_batch_words = 1024;
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_freq = Period::epochs(1);
  validation.valid_metrics = {"accuracy"};
}

data::LabelledCorpusOptions TaggingOptions::corpus() const {
  return {.text = data.text.with(labels.label_fields()),
          .tokens = {.by_word = true, .with_begin = model.with_begin()},
          .misplaced_tags = data::misplaced_tags_named(misplaced_tags)};
}

void TaggingOptions::validate() const {
  model.check();
  formats::check_scopes(*this);
  TrainOptions::validate(TaggingOptions());
  check_train_sets(data.train_sets, "labelled text");
  data.check();
  check_fields(*this);
  check_averages(*this, model.encoder.transformer);
  check_gradient_checkpointing(*this, model.encoder.is_transformer(), model.encoder.type.name());
  if (!objective.label_weights.empty() && objective.label_weights.size() != labels.columns()) {
    fail<OptionError>("--label-weights", "expected one for each of {} fields of labels, got {}",
                      labels.columns(), objective.label_weights.size());
  }
  require_option(model.crf.is<models::NoCrf>() || misplaced_tags != "keep", "--misplaced-tags",
                 "tags that are kept where they may not stand have no probability under --crf; "
                 "expected repair or refuse");
  require_option(!labels.text_labels.empty() || !model.crf.is<models::CrfOfAll>() ||
                     objective.label_smoothing == 0,
                 "--label-smoothing", "is of labels without a CRF; expected 0 with --crf all");
  require_option(!labels.text_labels.empty() || model.pooling.is<nn::MeanPoolingOptions>(),
                 "--pooling", "is for labels of texts; expected --text-labels");
  check_validation(*this);
}

}  // namespace weft::tasks
