#include "weft/tasks/tagging/tagging.h"

#include <fmt/core.h>

#include "weft/core/log.h"
#include "weft/data/file_names.h"
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
      data_(options_.data, corpus_options(options_, start_.model), options_.validation.valid_sets) {
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
  log::info("{}: {}", files, fields.report());
  data_.collect_labels();
  start_.check_labels(fields, data_.labels(), files);
  if (start_.whole) data_.set_labels(start_.whole->labels());
  options_.choose_metrics(std::span(data_.labels()).first(fields.word_labels.size()));
  model_file::TaggerAssets assets{.text = {nullptr, data_.labels()},
                                  .word_columns = fields.word_labels.size(),
                                  .characters = open_characters(),
                                  .trained_on = fields};
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.loop.pretrained.model.empty()) {
    pretrained.emplace(options_.loop.pretrained, model_options(start_.model, assets));
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
  if (data_.validation() != nullptr) validator_.emplace(options_, data_.labels());
}

ops::Loss Tagging::loss(const train::MicroBatch& batch, const nn::Context& context) {
  return trained_.loss(batch.batch,
                       {.weights = options_.objective.weights(data_.labels().size()),
                        .smoothing = options_.objective.label_smoothing,
                        .weight = batch.weight},
                       context);
}

std::vector<train::Metric> Tagging::validate() {
  return validator_->measure(session_, *data_.validation());
}

}  // namespace weft::tasks
