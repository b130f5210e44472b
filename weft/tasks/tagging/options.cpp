#include "weft/tasks/tagging/options.h"

#include <algorithm>

#include "weft/data/labels/bio.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

constexpr std::string_view kAutomatic = "auto";
constexpr int64_t kWordField = 0, kTagField = 1;
constexpr int64_t kConlluForm = 1, kConlluPartOfSpeech = 3;

bool is_conllu(const LabelledTextLayout& layout) { return layout.format == "conllu"; }

bool has_metric(const TaggingOptions& o, std::string_view name) {
  return std::ranges::find(o.validation.valid_metrics, name) != o.validation.valid_metrics.end();
}

void check_validation(const TaggingOptions& o, const data::LabelledFields& fields) {
  check_validation_unset(o);
  if (o.validation.valid_sets.empty()) return;
  require_option(!has_metric(o, kAutomatic) || o.validation.valid_metrics.size() == 1,
                 "--valid-metrics", "auto stands for all metrics; expected none beside it");
  require_option(!fields.text_labels.empty() || !has_metric(o, "text-accuracy"), "--valid-metrics",
                 "text-accuracy is of labels of texts; expected --text-labels");
}

}  // namespace

void TagFieldOptions::follow(const data::LabelledFields& trained, LabelledTextLayout& layout) {
  if (!layout.follow(trained)) return;
  if (word_labels.empty()) word_labels = trained.word_labels;
  if (text_labels.empty()) text_labels = trained.text_labels;
}

int64_t TagFieldOptions::text_field(const LabelledTextLayout& layout) {
  return layout.text_field.value_or(is_conllu(layout) ? kConlluForm : kWordField);
}

data::LabelledFields TagFieldOptions::read_by(const LabelledTextLayout& layout) const {
  data::LabelledFields out{.format = layout.format,
                           .text = text_field(layout),
                           .word_labels = word_labels,
                           .text_labels = text_labels};
  if (word_labels.empty()) {
    out.word_labels = {is_conllu(layout) ? kConlluPartOfSpeech : kTagField};
  }
  std::vector<int64_t> all = {out.text};
  for (size_t c = 0; c < out.columns(); ++c) all.push_back(out.field_of(c));
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end()) {
    fail<OptionError>("--word-labels",
                      "field {} occurs twice among the text, --word-labels and --text-labels; "
                      "expected different ones",
                      *twice);
  }
  return out;
}

std::vector<double> TaggingObjectiveOptions::weights(size_t columns) const {
  return label_weights.empty() ? std::vector<double>(columns, 1) : label_weights;
}

// Data sets of text with labels are small beside those of translation.
TaggingOptions::TaggingOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch_words = 1024;
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {std::string(kAutomatic)};
}

void TaggingOptions::choose_metrics(std::span<const data::LabelSet> words) {
  if (!has_metric(*this, kAutomatic)) return;
  const bool has_spans = std::ranges::any_of(
      words, [](const data::LabelSet& set) { return data::mark_spans(set.names()); });
  validation.valid_metrics = {"accuracy"};
  if (has_spans) validation.valid_metrics.insert(validation.valid_metrics.begin(), "span-f1");
}

data::LabelledCorpusOptions TaggingOptions::corpus() const {
  return {.text = read_fields().reading(),
          .tokens = {.by_word = true, .with_begin = model.with_begin()},
          .invalid_tags = data::invalid_tags_named(invalid_tags)};
}

models::TaggerOptions TaggingOptions::started_from(const models::TextEncoderOptions& found) const {
  models::TaggerOptions out = model;
  out.encoder = tasks::started_from(found, model.encoder);
  return out;
}

models::TaggerOptions TaggingOptions::gone_on_from(const models::TaggerOptions& found) const {
  check_same_head(model, found);
  models::TaggerOptions out = found;
  out.encoder = tasks::started_from(found.encoder, model.encoder);
  out.tagger_dropout = model.tagger_dropout;
  out.characters.dropout = model.characters.dropout;
  return out;
}

TaggingOptions TaggingOptions::with_fields() const {
  TaggingOptions out = *this;
  const data::LabelledFields fields = read_fields();
  out.data.text.text_field = fields.text;
  out.labels.word_labels = fields.word_labels;
  return out;
}

void TaggingOptions::validate() const {
  teacher.check(data.train_sets);
  const bool has_labels = !data.train_sets.empty();
  require_option(has_labels || objective.label_smoothing == 0, "--label-smoothing",
                 "is not read without --train-sets");
  require_option(has_labels || !model.characters.is_on(), "--char-encoder",
                 "reads the characters of --train-sets; expected these, or none");
  start.check(model, data, pretrained);
  model.check();
  options::check_scopes(*this);
  TaskOptions::validate(TaggingOptions());
  data.check();
  const data::LabelledFields fields = read_fields();
  check_averages(*this, model.encoder.transformer);
  check_gradient_checkpointing(*this, model.encoder.is_transformer(), model.encoder.type.name());
  if (!objective.label_weights.empty() && objective.label_weights.size() != fields.columns()) {
    fail<OptionError>("--label-weights", "expected one for each of {} fields of labels, got {}",
                      fields.columns(), objective.label_weights.size());
  }
  require_option(model.crf.is<models::NoCrf>() || invalid_tags != "keep", "--invalid-tags",
                 "tags that are kept where they may not stand have no probability under --crf; "
                 "expected repair or refuse");
  require_option(!labels.text_labels.empty() || !model.crf.is<models::CrfOfAll>() ||
                     objective.label_smoothing == 0,
                 "--label-smoothing", "is of labels without a CRF; expected 0 with --crf all");
  require_option(!labels.text_labels.empty() || model.pooling.is<nn::MeanPoolingOptions>(),
                 "--pooling", "is for labels of texts; expected --text-labels");
  check_validation(*this, fields);
}

}  // namespace weft::tasks
