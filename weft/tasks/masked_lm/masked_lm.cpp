#include "weft/tasks/masked_lm/masked_lm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/log.h"
#include "weft/model_file/any_encoder.h"
#include "weft/predict/token_limit.h"
#include "weft/tasks/distillation/taken_layers.h"
#include "weft/tasks/masked_lm/loss.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/pretrained.h"
#include "weft/tasks/started_session.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {
namespace {

Shapes shapes_of_masked_lm(const models::MaskedLmOptions& options, const FileVocabularies& theirs) {
  return shapes_of(models::MaskedLm(options, model_file::masked_lm_dims_of(*theirs.source)));
}

}  // namespace

void MaskedLanguageModelling::check_ranks() const {
  tasks::check_ranks(options_.model.encoder.transformer);
}

void MaskedLanguageModelling::make_model(train::Group& group, bool resumes) {
  if (options_.start.is_used()) {
    start_from_model();
  } else {
    create_model(group, resumes);
  }
  masking_.emplace(options_.masking, session_);
  log::info("model: {} parameters, vocabulary of {}, masks {}", session_.parameters.size(),
            session_.tokeniser->size(), session_.mask_text());
}

void MaskedLanguageModelling::create_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes && !options_.pretrained.model.empty()) {
    pretrained.emplace(options_.pretrained,
                       std::make_unique<ModelOptionsOf<models::MaskedLmOptions>>(
                           options_.model, shapes_of_masked_lm));
  }
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ = open_vocabularies(group, options_.data, options_.data.vocabulary_text(), seed);
  session_ = model_file::new_masked_lm(options_.model, vocabularies_.fields.front(), seed);
  session_.max_length = options_.data.max_length;
  if (pretrained) {
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kSource, *session_.tokeniser}});
  }
}

// A training that resumes replaces the weights.
void MaskedLanguageModelling::start_from_model() {
  const StartOptions& start = options_.start;
  if (!start.new_head && model_file::kind_of_model(start.from) == Session::kKind) {
    go_on_from_model();
  } else {
    const model_file::PretrainedEncoder found =
        with_layers(model_file::load_encoder(start.from), start.take_layers);
    session_ =
        model_file::new_masked_lm(options_.started_from(found.encoder.options), found.tokeniser,
                                  static_cast<uint64_t>(options_.loop.seed));
    session_.max_length = options_.data.max_length;
    found.copy_to(session_.model.encoder);
  }
  const models::TextEncoderOptions& encoder = session_.model.options.encoder;
  check_averages(options_, encoder.transformer);
  check_gradient_checkpointing(options_, encoder.is_transformer(), encoder.type.name());
}

void MaskedLanguageModelling::go_on_from_model() {
  session_ =
      with_layers(model_file::load_any_masked_lm(options_.start.from), options_.start.take_layers);
  set_options(session_, options_.gone_on_from(session_.model.options));
}

std::shared_ptr<const data::LineSequences> MaskedLanguageModelling::read_lines(
    const std::vector<std::string>& files) const {
  const models::MaskedLmOptions& model = session_.model.options;
  const int64_t known = session_.max_length > 0 ? session_.max_length : options_.data.max_length;
  const data::TokenOptions tokens{
      .max_length = predict::token_limit(std::min(known, options_.data.max_length),
                                         model.encoder.table_capacity(), model.special_symbols()),
      .by_word = options_.masking.whole_words,
      .with_begin = model.encoder.embedding.begin_symbol};
  auto out = std::make_shared<const data::LineSequences>(files, tokens, *session_.tokeniser);
  log::info("{}", out->report());
  return out;
}

void MaskedLanguageModelling::read_data(train::Group& group) {
  const std::vector<std::string>& valid = options_.validation.valid_sets;
  if (!valid.empty() && group.is_first()) validation_ = read_lines(valid);
  training_ = read_lines(options_.data.train_sets);
}

ops::Loss MaskedLanguageModelling::loss(const train::MicroBatch& batch,
                                        const nn::Context& context) {
  const data::Tokens& tokens = batch.batch.tokens(0);
  std::vector<uint32_t> numbers(static_cast<size_t>(tokens.examples()));
  std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(tokens.segments.first));
  const MaskedBatch masked =
      (*masking_)(batch.batch, {.key = context.key, .pass = context.pass, .numbers = numbers});
  return masked_loss(trained_, masked,
                     {.smoothing = options_.label_smoothing, .weight = batch.weight}, context);
}

std::vector<train::Metric> MaskedLanguageModelling::validate() {
  const std::vector<std::string>& metrics = options_.validation.valid_metrics;
  const bool counts_correct = std::ranges::find(metrics, "accuracy") != metrics.end();
  const MaskedScores found = masked_scores(session_.model, *validation_, *masking_, counts_correct);
  const double mean = found.nll / static_cast<double>(found.tokens);
  std::vector<train::Metric> out;
  for (const std::string& metric : metrics) {
    if (metric == "accuracy") {
      const double share = static_cast<double>(found.correct) / static_cast<double>(found.tokens);
      out.push_back({.name = metric, .value = share});
    } else {
      const double value = metric == "perplexity" ? std::exp(mean) : mean;
      out.push_back({.name = metric, .value = value, .is_loss = true});
    }
  }
  return out;
}

}  // namespace weft::tasks
