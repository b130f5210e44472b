#include "weft/tasks/translation/translation.h"

#include "weft/core/files/mapped_file.h"
#include "weft/core/hash.h"
#include "weft/core/log.h"
#include "weft/data/corpus/corpus_cache.h"
#include "weft/tasks/open_vocabularies.h"
#include "weft/tasks/training_checks.h"
#include "weft/tasks/translation/length_limits.h"
#include "weft/tasks/translator_start.h"

namespace weft::tasks {
namespace {

// If ranks share a cache of tokenised text, rank 0 writes it before the others read it.
std::shared_ptr<const data::Corpus> load_corpus(train::Group& group,
                                                const data::DataOptions& options,
                                                const std::vector<data::TokeniserPtr>& tokenisers) {
  const auto load = [&] {
    return std::make_shared<const data::Corpus>(data::load_training_corpus(options, tokenisers));
  };
  const bool is_cached = group.size() > 1 && group.any(!data::corpus_cache_path(options).empty());
  std::shared_ptr<const data::Corpus> corpus;
  if (group.is_first() || !is_cached) corpus = load();
  if (is_cached) group.any(false);
  return corpus ? corpus : load();
}

uint64_t fingerprint_of(const std::string& path) {
  const MappedFile file(path);
  Hash hash;
  for (const char byte : file.bytes()) hash.add(static_cast<unsigned char>(byte));
  return hash.value();
}

}  // namespace

Translation::Translation(Options options) : SessionTask(std::move(options)) {}

void Translation::check_ranks() const { tasks::check_ranks(options_.model.encoder.transformer); }

void Translation::make_model(train::Group& group, bool resumes) {
  data::check_corpus_cache(options_.data);
  if (options_.from.empty()) {
    create_model(group, resumes);
  } else {
    start_from_model(group);
  }
  log::info("model: {} parameters, vocabularies of {} and {}", session_.parameters.size(),
            session_.source().size(), session_.target().size());
  objective_.emplace(options_.objective, session_);
}

void Translation::create_model(train::Group& group, bool resumes) {
  std::optional<Pretrained> pretrained;
  if (!resumes) pretrained = pretrained_translator(options_.pretrained, options_.model);
  const auto seed = static_cast<uint64_t>(options_.loop.seed);
  vocabularies_ =
      open_vocabularies(group, options_.data, data::vocabulary_text(options_.data), seed);
  session_ = model_file::new_translator(options_.model, vocabularies_.fields, seed);
  if (pretrained) {
    pretrained->copy_to(parameters(), {{nn::Vocabulary::kSource, session_.source()},
                                       {nn::Vocabulary::kTarget, session_.target()}});
  }
}

// A training that resumes replaces the weights.
void Translation::start_from_model(train::Group& group) {
  session_ = translator_from(options_.from, options_.model);
  options_.check_model(session_.model.options);
  if (group.size() > 1) tasks::check_ranks(session_.model.options.encoder.transformer);
}

void Translation::read_data(train::Group& group) {
  if (!options_.validation.valid_sets.empty() && group.is_first()) {
    validator_ = std::make_unique<Validator>(options_, session_);
    const data::CorpusReport& read = validator_->report();
    if (read.cropped + read.faults() > 0) log::warn("{}", read.text());
  }
  corpus_ = load_corpus(group, options_.data, session_.tokenisers);
  for (const data::CorpusReport& read : corpus_->reports()) log::info("{}", read.text());
  check_lengths(*corpus_, session_.model.options);
  session_.model.dims.trained_lengths = target_lengths(*corpus_);
  objective_->check_lengths(*corpus_);
  check_ctc_targets(*corpus_, session_.model.options.generation, "--train-sets");
  const ObjectiveOptions& o = options_.objective;
  if (!o.data_weighting.empty()) {
    weights_.emplace(*corpus_, o.data_weighting,
                     o.data_weighting_type.visit([](const auto& kind) { return kind.kType; }));
  }
  if (!o.guidance.guided_alignment.empty()) {
    alignments_.emplace(*corpus_, o.guidance.guided_alignment);
  }
}

uint64_t Translation::fingerprint() const {
  uint64_t out = corpus_->fingerprint();
  if (weights_) out ^= weights_->fingerprint();
  if (alignments_) out ^= alignments_->fingerprint();
  for (const std::string& path : options_.objective.files()) out ^= fingerprint_of(path);
  return out;
}

ops::Loss Translation::loss(const train::MicroBatch& batch, const nn::Context& context) {
  TargetWeights weights;
  if (weights_)
    weights.rows = std::make_shared<const std::vector<float>>(weights_->of(batch.batch));
  if (alignments_) {
    weights.links =
        std::make_shared<const std::vector<std::vector<Link>>>(alignments_->of(batch.batch));
  }
  return (*objective_)(trained_, batch, weights, context);
}

}  // namespace weft::tasks
