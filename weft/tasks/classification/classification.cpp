#include "weft/tasks/classification/classification.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/joint_dataset.h"
#include "weft/predict/classification/evaluation.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/predict/classification/numbers.h"
#include "weft/tasks/classification/augmented_batch.h"
#include "weft/tasks/classification/contrastive.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

LabelFrequencies frequencies_of(const data::LabelledDataset& corpus, int32_t labels) {
  LabelFrequencies out{std::vector<int64_t>(static_cast<size_t>(labels)), corpus.labelled()};
  for (int64_t example = 0; example < corpus.labelled(); ++example) {
    for (const int32_t label : corpus.labels(example, 0)) ++out.counts[static_cast<size_t>(label)];
  }
  return out;
}

// Labels that rarely occur twice are texts.
void warn_of_swapped_fields(const data::LabelledFields& fields, int64_t labels,
                            const data::LabelledDataset& examples) {
  constexpr int64_t kFewest = 20;
  const int64_t count = examples.labelled();
  if (count < kFewest || 2 * labels < count) return;
  const int64_t label = fields.text_labels.front();
  log::warn(
      "{} labels for {} examples; the label is field {} and the text field {}; hint: if they are "
      "swapped, give --label-field {} --text-field {}",
      labels, count, label, fields.text, fields.text, label);
}

// Options of a classifier of texts with `labels` labels, and the parameters it has with the
// vocabulary of a file.
std::unique_ptr<ModelOptions> pretrained_options(const models::ClassifierOptions& options,
                                                 int64_t labels) {
  const auto shapes = [labels](const models::ClassifierOptions& o, const FileVocabularies& theirs) {
    return shapes_of(
        models::Classifier(o, {.text = model_file::dims_of(*theirs.source), .labels = labels}));
  };
  return std::make_unique<ModelOptionsOf<models::ClassifierOptions>>(options, shapes);
}

}  // namespace

Classification::Classification(const Options& options)
    : SessionTask(options.completed()), start_(start_of(options_)) {
  if (options_.teacher.is_on()) teacher_.emplace(options_);
  Options with_start = options_;
  with_start.model = start_.model;
  input_ = make_input(with_start, start_of_input());
}

ClassificationStart Classification::start_of_input() const {
  ClassificationStart out = start_.for_input();
  out.labels_from = options_.start.from;
  if (!teacher_) return out;
  const model_file::ClassifierSession& session = teacher_->session();
  out.teacher = teacher_->reading();
  if (out.has_labels()) {
    check_same_labels(out.labels, session.labels(), options_.teacher.teacher);
    return out;
  }
  out.labels = session.labels();
  out.numbers = session.numbers;
  out.labels_from = options_.teacher.teacher;
  out.labels_hint = kTeacherHint;
  return out;
}

void Classification::check_ranks() const {
  tasks::check_ranks(model_options().encoder.transformer);
  require_option(!options_.loss.contrastive, "--contrastive",
                 "compares the texts of a mini-batch with each other; expected one process");
}

void Classification::check_labels() const {
  const data::LabelSet& labels = input_->labels();
  if (labels.size() > 1 || !model_options().has_one_label()) return;
  const std::vector<std::string>& files = options_.data.train_sets;
  fail<FormatError>(files.empty() ? options_.teacher.teacher : files.back(),
                    "all texts have the label {}; expected at least two labels",
                    quote(labels.name(0)));
}

void Classification::make_model(train::Group& group, bool resumes) {
  // Earlier versions took it.
  if (!resumes && model_options().pools_first()) check_first_pooling(model_options().encoder);
  input_->collect_labels();
  check_labels();
  std::optional<Pretrained> pretrained;  // of texts, refused before a vocabulary is made
  const bool is_text = model_options().is_text();
  if (!resumes && is_text && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained,
                       pretrained_options(model_options(), input_->labels().size()));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  input_->open(group, seed);
  input_->fit(options_, resumes);
  session_ = model_file::new_classifier(model_options(), input_->assets(), seed);
  start_.give_weights(session_);
  session_.max_length = options_.data.max_length;
  session_.trained_on = options_.read_fields();
  log::info("model: {} parameters, {} {}", session_.parameters.size(), session_.labels().size(),
            model_options().has_numbers() ? "numbers" : "labels");
  if (pretrained) {
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kSource, *session_.text.tokeniser}});
  }
  if (!resumes && !is_text) start_from_pretrained(options_.pretrained, session_.model);
}

void Classification::read_data(train::Group& group) {
  input_->read(group, model_options().table_capacity());
  if (teacher_) {
    joint_ = std::make_shared<const data::JointDataset>(input_->training(), input_->taught(),
                                                        options_.teacher.teacher);
  }
  if (model_options().has_numbers()) return;
  const data::LabelSet& labels = input_->labels();
  label_weights_ = label_weights(options_.loss.class_weights, labels,
                                 frequencies_of(*input_->training(), labels.size()),
                                 model_options().has_one_label());
  warn_of_swapped_fields(options_.read_fields(), labels.size(), *input_->training());
  if (input_->validation() == nullptr) return;
  const LabelFrequencies found = frequencies_of(*input_->validation(), labels.size());
  const auto missing = std::ranges::count(found.counts, 0);
  if (missing > 0) {
    log::info("{} of {} labels have no text in --valid-sets", missing, labels.size());
  }
}

std::shared_ptr<const data::Dataset> Classification::dataset() const {
  if (joint_ != nullptr) return joint_;
  return input_->training();
}

uint64_t Classification::fingerprint() const {
  if (!teacher_) return input_->fingerprint();
  Hash hash;
  hash.add(input_->fingerprint());
  hash.add(input_->taught()->fingerprint());
  hash.add(teacher_->fingerprint());
  return hash.value();
}

ops::Loss Classification::taught_loss(const train::MicroBatch& batch,
                                      const models::ClassifierLoss& params,
                                      const nn::Context& context) const {
  constexpr size_t kFields = 2;
  TaughtExamples examples(batch.batch, kFields, input_->training()->labelled());
  if (model_options().has_numbers()) {
    data::Field& numbers = examples.student.fields[1];
    numbers = predict::standardised(std::get<data::Labels>(std::move(numbers)), session_.numbers);
  }
  return teacher_->loss(trained_, examples, params, session_.numbers, context);
}

ops::Loss Classification::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const models::ClassifierLoss params{.smoothing = options_.loss.label_smoothing,
                                      .huber = options_.loss.huber_delta,
                                      .weight = batch.weight,
                                      .label_weights = label_weights_};
  if (teacher_) return taught_loss(batch, params, context);
  data::Batch examples = batch.batch;
  if (model_options().input.is<models::ImageInput>()) {
    examples = augmented(std::move(examples),
                         {.options = options_.augmentation,
                          .mix_up = options_.mix_up,
                          .shape = session_.model.dims.image,
                          .statistics = session_.statistics,
                          .training = *input_->training()},
                         context);
  }
  examples.fields[0] = predict::model_input(session_, examples.fields[0]);
  if (model_options().has_numbers()) {
    examples.fields[1] = predict::standardised(
        std::get<data::Labels>(std::move(examples.fields[1])), session_.numbers);
  }
  return options_.loss.contrastive ? contrastive_loss(trained_, examples, params, context)
                                   : trained_.loss(examples, params, context);
}

std::vector<train::Metric> Classification::validate() {
  const data::LabelledDataset& corpus = *input_->validation();
  predict::LabelScores scores = predict::scores_of(session_, corpus);
  if (!std::ranges::all_of(scores.values, [](float x) { return std::isfinite(x); })) {
    fail<NumericError>("--valid-sets", "a score is not a finite number");
  }
  return model_options().has_numbers() ? number_metrics(std::move(scores))
                                       : label_metrics(std::move(scores));
}

std::vector<train::Metric> Classification::label_metrics(predict::LabelScores logits) {
  const data::LabelledDataset& corpus = *input_->validation();
  const models::ClassifierOptions& model = model_options();
  const predict::ExpectedLabels expected = predict::expected_labels(corpus);
  session_.params = predict::fit_params(logits, expected, model, options_.calibrate);
  predict::LabelEvaluation found = predict::evaluate_labels(
      predict::probabilities_of(std::move(logits), model, session_.params.temperature), expected,
      session_);
  if (model.is_sequence())
    found.cross_entropy = predict::sequence_cross_entropy(session_.model, corpus);
  if (options_.valid_report) log::info("{}\n{}", found.summary(), found.report.text(4));
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    out.push_back(
        {.name = metric, .value = found.value(metric), .is_loss = metric == "cross-entropy"});
  }
  return out;
}

std::vector<train::Metric> Classification::number_metrics(predict::LabelScores scores) const {
  const std::vector<float> expected = input_->validation()->numbers();
  const metrics::RegressionScores found =
      predict::evaluate_numbers(predict::in_units(std::move(scores), session_.numbers), expected)
          .mean();
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    out.push_back({.name = metric,
                   .value = found.value(metric),
                   .is_loss = metric == "rmse" || metric == "mae"});
  }
  return out;
}

}  // namespace weft::tasks
