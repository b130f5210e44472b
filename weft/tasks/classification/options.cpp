#include "weft/tasks/classification/options.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "weft/core/error.h"
#include "weft/data/file_kind.h"
#include "weft/data/images/idx.h"
#include "weft/data/text/text_file.h"
#include "weft/options/option_table.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLabelField = 0, kTextField = 1;
constexpr std::string_view kSeparators = " ";
constexpr std::string_view kAutoMetric = "auto";

void check_layout(const data::LabelledFields& fields) {
  const int64_t label = fields.text_labels.front();
  if (label == fields.text) {
    fail<OptionError>("--label-field", "field {} is the text (--text-field); expected another one",
                      label);
  }
  if (fields.has_pairs() && (fields.pair == fields.text || fields.pair == label)) {
    fail<OptionError>("--pair-field", "field {} is the {}; expected another one", fields.pair,
                      fields.pair == fields.text ? "text (--text-field)" : "label (--label-field)");
  }
  for (const auto& [name, number] :
       {std::pair("--text-field", fields.text), std::pair("--label-field", label),
        std::pair("--pair-field", fields.pair)}) {
    if (fields.format != "first-word" || number < 2) continue;
    fail<OptionError>(name, "--format first-word has the fields 0 and 1; got {}", number);
  }
}

}  // namespace

void LineLabelOptions::follow(const data::LabelledFields& trained, LabelledTextLayout& layout) {
  const bool is_same = layout.follow(trained);
  if (is_same && !label_field) label_field = trained.text_labels.front();
  if (is_same && !pair_field && trained.has_pairs()) pair_field = trained.pair;
  if (separators.empty()) separators = is_same ? trained.separators : "";
  if (separators.empty()) separators = kSeparators;
}

data::LabelledFields LineLabelOptions::read_by(const LabelledTextLayout& layout,
                                               const models::LabelKinds& labels) const {
  if (layout.has_a_word_a_line()) {
    fail<OptionError>("--format",
                      "{} has labels of words; expected tsv, files, first-word or jsonl",
                      layout.format);
  }
  if (separators.empty()) {
    fail<OptionError>("--label-separators", "no characters; expected what stands between labels");
  }
  data::LabelledFields out{.format = layout.format,
                           .text = layout.text_field.value_or(kTextField),
                           .text_labels = {label_field.value_or(kLabelField)}};
  if (!labels.is<models::OneLabel>()) out.separators = separators;
  if (pair_field) out.pair = *pair_field;
  check_layout(out);
  return out;
}

// Data sets of text with labels are small beside those of translation.
ClassificationOptions::ClassificationOptions() {
  loop.save_freq = options::Period::epochs(1);
  batching.mini_batch_words = 1024;
  schedule.learn_rate = 0.001;
  schedule.warmup = 100;
  validation.valid_freq = options::Period::epochs(1);
  validation.valid_metrics = {std::string(kAutoMetric)};
}

ClassificationOptions ClassificationOptions::completed() const {
  ClassificationOptions out = *this;
  const data::LabelledFields fields = read_fields();
  out.data.text.text_field = fields.text;
  out.labels.label_field = fields.text_labels.front();
  if (!validation.valid_sets.empty() &&
      validation.valid_metrics == std::vector{std::string(kAutoMetric)}) {
    out.validation.valid_metrics = {model.has_numbers() ? "rmse" : "accuracy"};
  }
  return out;
}

models::ClassifierOptions ClassificationOptions::started_from(
    const models::TextEncoderOptions& found) const {
  models::ClassifierOptions out = model;
  const models::TextEncoderOptions encoder = tasks::started_from(found, model.text_encoder());
  out.encoder = encoder;
  out.input.get<models::TextInput>() = {encoder.word_dropout, encoder.embedding};
  return out;
}

models::ClassifierOptions ClassificationOptions::gone_on_from(
    const models::ClassifierOptions& found) const {
  if (model.labels.name() != found.labels.name()) {
    fail<OptionError>("--labels",
                      "the model of --from has {}; expected the same, or --new-head; got {}",
                      found.labels.name(), model.labels.name());
  }
  check_same_head(model, found);
  models::ClassifierOptions out = started_from(found.text_encoder());
  out.labels = found.labels;
  out.pooling = found.pooling;
  out.head = found.head;
  return out;
}

void ClassificationOptions::check_input() const {
  if (model.is_text()) return;
  require_option(!labels.pair_field, "--pair-field", "is of --input text");
  if (data.text.format != "tsv") {
    fail<OptionError>("--format", "a list of files is a tsv of labels and paths, got {}",
                      data.text.format);
  }
  if (mix_up > 0 && !model.has_one_label()) {
    fail<OptionError>("--mix-up", "is of --labels one, got {}", model.labels.name());
  }
  if (model.input.get<models::ImageInput>().image_size.size() > 2) {
    fail<OptionError>("--image-size", "expected a height and a width, got {} numbers",
                      model.input.get<models::ImageInput>().image_size.size());
  }
}

void ClassificationOptions::check_given() const {
  if (!model.is_text() || data.train_sets.empty()) return;
  const std::string& path = data.train_sets.front();
  const auto refuse = [&](std::string_view what, std::string_view input) {
    fail<OptionError>("--train-sets", "{} {}; expected labelled text; hint: --input {}", path, what,
                      input);
  };
  std::error_code none;
  if (fs::is_directory(path, none)) refuse("is a folder", "image");
  if (!fs::is_regular_file(path, none)) return;  // a look would use up a pipe
  if (data::is_idx(path)) refuse("has pictures of the MNIST form", "image");
  data::TextFile file(path);
  if (!file.next()) return;
  for (std::string_view rest = file.line(); !rest.empty();) {
    const size_t end = std::min(rest.find('\t'), rest.size());
    const std::string named = (fs::path(path).parent_path() / rest.substr(0, end)).string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!fs::is_regular_file(named, none)) continue;
    if (data::is_of_kind(data::FileKind::kPicture, named)) refuse("lists pictures", "image");
    if (data::is_of_kind(data::FileKind::kVectors, named)) refuse("lists vectors", "features");
  }
}

void ClassificationOptions::check_teacher() const {
  if (!model.is_text()) return check_train_sets(data.train_sets, "labelled pictures or features");
  teacher.check(data.train_sets);
  constexpr std::string_view kUnread = "is not read without --train-sets";
  const bool has_labels = !data.train_sets.empty();
  require_option(has_labels || loss.label_smoothing == 0, "--label-smoothing", kUnread);
  require_option(has_labels || loss.huber_delta == 0, "--huber-delta", kUnread);
  require_option(has_labels || loss.class_weights.empty(), "--class-weights", kUnread);
  require_option(!model.has_numbers() || teacher.temperature == 1, "--teacher-temperature",
                 "is of probabilities; expected 1 with --labels numbers");
  require_option(!model.is_sequence() || teacher.unlabelled.empty(), "--unlabelled",
                 "a teacher of --labels sequence is asked for the label after those of the text; "
                 "expected none; hint: train on the labels that weft classify gives the lines");
}

void ClassificationOptions::check_contrastive() const {
  if (!loss.contrastive) return;
  require_option(model.is_text(), "--contrastive", "is of --input text");
  require_option(!teacher.is_on(), "--contrastive", "contradicts --teacher; expected one of them");
}

void ClassificationOptions::check_weights() const {
  if (!loss.weight_field) return;
  require_option(model.is_text(), "--weight-field", "is of --input text");
  require_option(!teacher.is_on(), "--weight-field", "contradicts --teacher; expected one of them");
  require_option(!loss.contrastive, "--weight-field",
                 "contradicts --contrastive; expected one of them");
  const data::LabelledFields fields = read_fields();
  const int64_t field = *loss.weight_field;
  for (const auto& [name, number] :
       {std::pair("text (--text-field)", fields.text),
        std::pair("second text (--pair-field)", fields.pair),
        std::pair("label (--label-field)", fields.text_labels.front())}) {
    if (field != number) continue;
    fail<OptionError>("--weight-field", "field {} is the {}; expected another one", field, name);
  }
  if (fields.format == "first-word") {
    fail<OptionError>("--weight-field", "--format first-word has the fields 0 and 1; got {}",
                      field);
  }
}

void ClassificationOptions::check_metrics() const {
  constexpr std::array<std::string_view, 5> kOfNumbers = {"rmse", "mae", "r2", "pearson",
                                                          "spearman"};
  if (validation.valid_sets.empty()) return;
  for (const std::string& metric : completed().validation.valid_metrics) {
    require_option(metric != kAutoMetric, "--valid-metrics",
                   "auto stands for all metrics; expected none beside it");
    const bool is_of_numbers = std::ranges::find(kOfNumbers, metric) != kOfNumbers.end();
    if (is_of_numbers == model.has_numbers()) continue;
    fail<OptionError>("--valid-metrics", "{} is of {}; got --labels {}; expected {}", metric,
                      is_of_numbers ? "--labels numbers" : "labels", model.labels.name(),
                      model.has_numbers() ? "rmse, mae, r2, pearson or spearman"
                                          : "cross-entropy, accuracy, micro-f1 or macro-f1");
  }
}

void ClassificationOptions::validate() const {
  check_teacher();
  if (model.is_text()) start.check(model, data, pretrained);
  model.check();
  TaskOptions::validate(ClassificationOptions());
  if (model.is_text()) data.check();
  options::check_scopes(*this);
  read_fields();
  check_metrics();
  check_input();
  check_contrastive();
  check_weights();
  check_averages(*this, model.encoder.transformer);
  check_gradient_checkpointing(*this, model.encoder.is_transformer(), model.encoder.type.name());
  check_validation_unset(*this, "calibrate");
  if (model.is_text() && !validation.valid_sets.empty()) {
    data.text.check_files("--valid-sets", validation.valid_sets);
  }
}

}  // namespace weft::tasks
