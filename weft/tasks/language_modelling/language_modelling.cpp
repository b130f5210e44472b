#include "weft/tasks/language_modelling/language_modelling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/model_file/any_adapter.h"
#include "weft/tasks/language_modelling/samples.h"
#include "weft/tasks/language_modelling/validation.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/started_session.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

Shapes shapes_of_model(const models::LanguageModelOptions& options,
                       const FileVocabularies& theirs) {
  return shapes_of(models::LanguageModel(options, {.vocab = theirs.source->size(),
                                                   .begin_id = theirs.source->begin_id(),
                                                   .end_ids = {theirs.source->end_id()}}));
}

}  // namespace

void LanguageModelling::check_ranks() const {
  tasks::check_ranks(options_.model.layers.transformer);
}

void LanguageModelling::make_model(train::Group& group, bool resumes) {
  if (options_.from.empty()) {
    create_model(group, resumes);
  } else {
    start_from_model();
  }
  log::info("model: {} parameters, vocabulary of {}", session_.parameters.size(),
            session_.tokeniser->size());
}

void LanguageModelling::create_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained,
                       std::make_unique<ModelOptionsOf<models::LanguageModelOptions>>(
                           options_.model, shapes_of_model));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ =
      open_vocabularies(group, options_.data, training_vocabulary_text(options_.data), seed);
  session_ = model_file::new_language_model(options_.model, vocabularies_.fields.front(), seed);
  session_.adds_begin = true;
  if (pretrained) {
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kSource, *session_.tokeniser}});
  }
}

// A training that resumes replaces the weights.
void LanguageModelling::start_from_model() {
  session_ = model_file::load_any<model_file::LanguageModelSession>(options_.from);
  const models::LanguageModelOptions options = options_.started_from(session_.model.options);
  options_.check_length(options);
  if (!options_.low_rank.is_used()) return set_options(session_, options);
  session_.model = {options, session_.model.dims};
  start_adapter();
}

// The weights stay where they are, in a mapped file perhaps.
void LanguageModelling::start_adapter() {
  const std::vector<nn::NamedParameter> model = nn::parameters_of(session_.model);
  nn::bind_to(model, session_.parameters);
  adapter_.emplace();
  adapter_->options = options_.low_rank.adapter(model);
  nn::add_low_rank(model, options_.low_rank.chosen(model),
                   {.scale = adapter_->options.scale(), .dropout = adapter_->options.dropout});
  adapter_->updates = nn::bind(parameters());
  nn::initialise(parameters(), static_cast<uint64_t>(options_.loop.seed));
  log::info("adapter: {} parameters beside {}", adapter_->updates.size(), options_.from);
}

std::vector<nn::NamedParameter> LanguageModelling::parameters() {
  std::vector<nn::NamedParameter> model = SessionTask::parameters();
  return adapter_ ? nn::low_rank_parameters(model) : model;
}

const Tensor& LanguageModelling::weights() const {
  return adapter_ ? adapter_->updates : SessionTask::weights();
}

Tensor LanguageModelling::begin(DType type) {
  if (!adapter_ || type == DType::kF32) return SessionTask::begin(type);
  trained_ = session_.model;
  const std::vector<nn::NamedParameter> model = nn::parameters_of(trained_);
  adapter_->frozen = nn::bind(model, type);
  backend_of(adapter_->frozen)(kernels::Copy{.x = session_.parameters, .y = adapter_->frozen});
  return nn::bind(nn::low_rank_parameters(model), type);
}

void LanguageModelling::save(const std::string& path, const Tensor& weights) const {
  if (!adapter_) return SessionTask::save(path, weights);
  models::LanguageModel model = session_.model;
  model_file::write_adapter(
      path, model_file::adapter_of(nn::parameters_of(model), adapter_->options, weights));
}

// Of the text, and of the weights that an adapter is beside.
uint64_t LanguageModelling::fingerprint() const {
  if (!adapter_) return training_->fingerprint();
  Hash hash;
  hash.add(training_->fingerprint());
  const auto* bits = reinterpret_cast<const uint32_t*>(session_.parameters.bytes());
  for (int64_t i = 0; i < session_.parameters.size(); ++i) hash.add(bits[i]);
  return hash.value();
}

void LanguageModelling::read_data(train::Group& group) {
  const std::vector<std::string>& valid = options_.validation.valid_sets;
  if (!valid.empty() && group.is_first()) {
    validation_ = read_sequences(valid, options_.data, session_);
    log::info("{}", validation_->report());
  }
  TextSequences training = read_sequences(options_.data.train_sets, options_.data, session_);
  log::info("{}", training.report());
  training_ = std::make_shared<const data::TokenSequences>(std::move(training.sequences));
}

ops::Loss LanguageModelling::loss(const train::MicroBatch& batch, const nn::Context& context) {
  return trained_.loss(batch.batch, {.smoothing = options_.label_smoothing, .weight = batch.weight},
                       context);
}

std::vector<train::Metric> LanguageModelling::validate() {
  const TextLoss found = text_loss(session_.model, validation_->sequences);
  const double mean = found.nll / static_cast<double>(std::max<int64_t>(found.labels, 1));
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    const double value =
        metric == "perplexity" ? std::exp(mean)
        : metric == "bits-per-byte"
            ? found.nll / std::numbers::ln2 / static_cast<double>(validation_->label_bytes)
            : mean;
    out.push_back({.name = metric, .value = value, .is_loss = true});
  }
  return out;
}

std::vector<train::Sample> LanguageModelling::samples() {
  return samples_of(session_, validation_->first);
}

}  // namespace weft::tasks
