#include "weft/tasks/embedding/embedding.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/joint_dataset.h"
#include "weft/model_file/any_encoder.h"
#include "weft/model_file/text_assets.h"
#include "weft/predict/token_limit.h"
#include "weft/tasks/embedding/validation.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/started_session.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

Shapes shapes_of_embedder(const models::EmbedderOptions& options, const FileVocabularies& theirs) {
  return shapes_of(models::Embedder(options, model_file::dims_of(*theirs.source)));
}

}  // namespace

SentenceEmbedding::SentenceEmbedding(const Options& options) : SessionTask(options.completed()) {
  if (options_.teacher.is_on()) teacher_.emplace(options_.teacher, options_.gradient_cache);
}

void SentenceEmbedding::check_ranks() const {
  tasks::check_ranks(options_.model.encoder.transformer);
  if (options_.data.train_sets.empty() || !options_.objective.compares_examples()) return;
  fail<OptionError>("--loss",
                    "{} compares the examples of a mini-batch with each other; expected one "
                    "process, or triplet or cosine",
                    options_.objective.loss.name());
}

void SentenceEmbedding::make_model(train::Group& group, bool resumes) {
  if (options_.from.empty()) {
    create_model(group, resumes);
  } else {
    start_from_model();
  }
  if (teacher_) teacher_->check_width(session_.model.width());
  for (const int64_t length : options_.objective.matryoshka) {
    if (length <= session_.model.width()) continue;
    fail<OptionError>("--matryoshka", "{}; expected at most {}, as vectors have", length,
                      session_.model.width());
  }
  log::info("model: {} parameters, vocabulary of {}, vectors of {}", session_.parameters.size(),
            session_.tokeniser->size(), session_.model.width());
}

void SentenceEmbedding::create_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained,
                       std::make_unique<ModelOptionsOf<models::EmbedderOptions>>(
                           options_.model, shapes_of_embedder));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ = open_vocabularies(
      group, options_.data, options_.data.vocabulary_text(options_.teacher.unlabelled), seed);
  session_ = model_file::new_embedder(options_.model, vocabularies_.fields.front(), seed);
  session_.max_length = options_.data.max_length;
  if (pretrained) {
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kSource, *session_.tokeniser}});
  }
}

// A training that resumes replaces the weights.
void SentenceEmbedding::start_from_model() {
  session_ = with_layers(model_file::load_any_embedder(options_.from), options_.take_layers);
  set_options(session_, options_.started_from(session_.model.options));
}

std::unique_ptr<data::TextGroups> SentenceEmbedding::read_groups(
    const data::TextGroupSources& files, const model_file::EmbedderSession& session) const {
  const models::EmbedderOptions& model = session.model.options;
  const int64_t known = session.max_length > 0 ? session.max_length : options_.data.max_length;
  const data::TokenOptions tokens{
      .max_length = predict::token_limit(std::min(known, options_.data.max_length),
                                         model.encoder.table_capacity(), model.special_symbols()),
      .with_begin = model.with_begin()};
  return std::make_unique<data::TextGroups>(files, tokens, *session.tokeniser);
}

void SentenceEmbedding::read_data(train::Group& group) {
  const std::vector<std::string>& valid = options_.validation.valid_sets;
  const bool has_scores = options_.data.has_scores();
  if (!valid.empty() && group.is_first()) {
    validation_ = read_groups({.groups = valid, .has_scores = has_scores}, session_);
    log::info("{}", validation_->report());
  }
  const data::TextGroupSources files{.groups = options_.data.train_sets,
                                     .has_scores = has_scores,
                                     .texts = options_.teacher.unlabelled};
  training_ = read_groups(files, session_);
  log::info("{}", training_->report());
  if (training_->groups() > 0) options_.objective.check(has_scores, training_->columns());
  if (!teacher_) return;
  joint_ = std::make_shared<const data::JointDataset>(
      training_, read_groups(files, teacher_->session()), options_.teacher.teacher);
}

std::shared_ptr<const data::Dataset> SentenceEmbedding::dataset() const {
  if (joint_ != nullptr) return joint_;
  return training_;
}

uint64_t SentenceEmbedding::fingerprint() const {
  if (!teacher_) return training_->fingerprint();
  Hash hash;
  hash.add(joint_->fingerprint());
  hash.add(teacher_->fingerprint());
  return hash.value();
}

ops::Loss SentenceEmbedding::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const auto vectors = [&](const data::Batch& texts) {
    return embedding_vectors(trained_, texts, options_.gradient_cache, context);
  };
  const EmbeddingObjective& objective = options_.objective;
  if (!teacher_) {
    return embedding_loss(vectors(batch.batch), batch.batch, objective, batch.weight, context.tape);
  }
  const size_t fields =
      static_cast<size_t>(training_->columns()) + (training_->has_scores() ? 1 : 0);
  const TaughtExamples taught(batch.batch, fields, training_->groups());
  return teacher_->loss(vectors(taught.student), taught, objective, batch.weight, context.tape);
}

// The mean over lines, which are compared with others in the order of the file.
double SentenceEmbedding::validation_loss() const {
  const int64_t most = options_.batching.mini_batch > 0 ? options_.batching.mini_batch : 64;
  double sum = 0;
  for (int64_t begin = 0; begin < validation_->size(); begin += most) {
    std::vector<int64_t> lines(static_cast<size_t>(std::min(most, validation_->size() - begin)));
    std::iota(lines.begin(), lines.end(), begin);
    const data::Batch batch = validation_->batch(lines);
    const Tensor x = embedding_vectors(session_.model, batch, options_.gradient_cache, {});
    sum += embedding_loss(x, batch, options_.objective, 1, nullptr).total;
  }
  return sum / static_cast<double>(validation_->size());
}

std::vector<train::Metric> SentenceEmbedding::validate() {
  std::optional<metrics::RegressionScores> similarity;
  std::optional<metrics::RetrievalScores> retrieval;
  std::vector<train::Metric> out;
  for (const std::string& metric : options_.validation.valid_metrics) {
    if (metric == "loss") {
      out.push_back({.name = metric, .value = validation_loss(), .is_loss = true});
    } else if (options_.data.has_scores()) {
      if (!similarity) similarity = similarity_of(session_, *validation_);
      out.push_back({.name = metric, .value = similarity->value(metric)});
    } else {
      if (!retrieval) retrieval = retrieval_of(session_, *validation_);
      out.push_back({.name = metric, .value = retrieval->value(metric)});
    }
  }
  return out;
}

}  // namespace weft::tasks
