#include "weft/tasks/tagging/tagging.h"

#include <fmt/core.h>

#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/file_names.h"
#include "weft/data/joint_dataset.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

// Of a model that starts from a file with other vocabularies.
std::unique_ptr<ModelOptions> model_options(const models::TaggerOptions& options,
                                            const model_file::TaggerAssets& assets) {
  const auto shapes = [assets](const models::TaggerOptions& o, const FileVocabularies& theirs) {
    model_file::TaggerAssets with = assets;
    with.text.tokeniser = theirs.source;
    return shapes_of(model_file::make_tagger(o, with));
  };
  return std::make_unique<ModelOptionsOf<models::TaggerOptions>>(options, shapes);
}

std::vector<ModelVocabulary> vocabularies_of(const model_file::TaggerSession& session) {
  std::vector<ModelVocabulary> out = {{nn::Vocabulary::kSource, session.tokeniser()}};
  if (session.assets.characters != nullptr) {
    out.push_back({nn::Vocabulary::kCharacters, *session.assets.characters});
  }
  return out;
}

// How the model of --from reads text.
data::LabelledCorpusOptions corpus_options(const TaggingOptions& options,
                                           const models::TaggerOptions& model) {
  data::LabelledCorpusOptions out = options.corpus();
  out.tokens.with_begin = model.with_begin();
  return out;
}

}  // namespace

Tagging::Tagging(const Options& options)
    : SessionTask(options.with_fields()),
      start_(start_of(options_)),
      data_(options_.data, corpus_options(options_, start_.model), options_.validation.valid_sets,
            options_.teacher.unlabelled) {
  if (options_.teacher.is_on()) teacher_.emplace(options_);
}

void Tagging::check_ranks() const { tasks::check_ranks(start_.model.encoder.transformer); }

data::TokeniserPtr Tagging::open_characters() {
  const models::CharacterOptions& characters = start_.model.characters;
  if (!characters.is_on()) return nullptr;
  data::TokeniserPtr out =
      start_.whole ? start_.whole->assets.characters
                   : data::make_character_vocabulary(
                         options_.data.train_sets, options_.corpus().text, options_.char_min_count);
  data_.set_characters({out, characters.max_length});
  return out;
}

void Tagging::make_model(train::Group& group, bool resumes) {
  // Earlier versions took it.
  if (!resumes && start_.model.pools_first()) check_first_pooling(start_.model.encoder);
  const data::LabelledFields fields = options_.read_fields();
  const std::string files = data::joined_names(options_.data.train_sets);
  if (!files.empty()) log::info("{}: {}", files, fields.report());
  data_.collect_labels();
  start_.check_labels(fields, data_.labels(), files);
  if (start_.whole) data_.set_labels(start_.whole->labels());
  if (teacher_) {
    const auto* const whole = start_.whole ? &start_.whole->labels() : nullptr;
    data_.set_labels(teacher_->labels(data_.labels(), whole, files));
  }
  options_.choose_metrics(std::span(data_.labels()).first(fields.word_labels.size()));
  model_file::TaggerAssets assets{.text = {nullptr, data_.labels()},
                                  .word_columns = fields.word_labels.size(),
                                  .characters = open_characters(),
                                  .trained_on = fields};
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained, model_options(start_.model, assets));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  if (options_.start.is_used()) {
    data_.set_tokeniser(start_.tokeniser());
  } else {
    data_.open_vocabulary(group, seed);
  }
  assets.text.tokeniser = data_.tokeniser();
  session_ = model_file::new_tagger(start_.model, std::move(assets), seed);
  start_.give_weights(session_);
  std::string labels;
  for (const data::LabelSet& set : data_.labels()) {
    labels += fmt::format("{}{}", labels.empty() ? "" : " and ", set.size());
  }
  log::info("model: {} parameters, vocabulary of {}, {} labels", session_.parameters.size(),
            data_.tokeniser()->size(), labels);
  if (pretrained) pretrained->copy_to(parameters(), vocabularies_of(session_));
}

void Tagging::read_data(train::Group& group) {
  data_.read(group, start_.model.encoder.table_capacity());
  if (teacher_) {
    const std::shared_ptr<const data::LabelledCorpus> taught = data_.read_as(teacher_->reading());
    joint_ = std::make_shared<const data::JointDataset>(data_.training(), taught,
                                                        options_.teacher.teacher);
    teacher_->check_words(*data_.training(), *taught);
  }
  if (data_.validation() != nullptr) validator_.emplace(options_, data_.labels());
}

std::shared_ptr<const data::Dataset> Tagging::dataset() const {
  if (joint_ != nullptr) return joint_;
  return data_.training();
}

uint64_t Tagging::fingerprint() const {
  if (!teacher_) return data_.fingerprint();
  Hash hash;
  hash.add(data_.fingerprint());
  hash.add(joint_->fingerprint());
  hash.add(teacher_->fingerprint());
  return hash.value();
}

ops::Loss Tagging::loss(const train::MicroBatch& batch, const nn::Context& context) {
  const size_t columns = data_.labels().size();
  const models::TagObjective objective{.weights = options_.objective.weights(columns),
                                       .smoothing = options_.objective.label_smoothing,
                                       .weight = batch.weight};
  if (!teacher_) return trained_.loss(batch.batch, objective, context);
  const size_t fields = columns + (trained_.characters.is_on() ? 3 : 2);
  return teacher_->loss(trained_, TaughtExamples(batch.batch, fields, data_.training()->labelled()),
                        objective, context);
}

std::vector<train::Metric> Tagging::validate() {
  return validator_->measure(session_, *data_.validation());
}

}  // namespace weft::tasks
