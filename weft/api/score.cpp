#include "weft/score.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/scoring/line_scorer.h"
#include "weft/predict/translation/pair_scorer.h"

namespace weft {
namespace {

struct ScorerOptions {
  int64_t mini_batch_words = 4096;

  template <class V>
  void fields(V& v) {
    v("mini-batch-words", mini_batch_words,
      {.help = "tokens that the model reads together", .min = 1, .max = 1e9});
  }
};

struct TranslationScorerOptions {
  predict::PairScorerOptions scoring;

  template <class V>
  void fields(V& v) {
    v("max-length", scoring.max_length,
      {.help = "longest source and target, in tokens", .min = 1, .max = 1e6});
    v("mini-batch-words", scoring.rows,
      {.help = "target tokens that the model reads together", .min = 1, .max = 1e9});
  }
};

// What a model of translations computes probabilities of given targets with: weights of float32,
// not those that are packed for its search.
model_file::TranslatorSession unpacked_session(const Model& model) {
  const auto& packed = api::session_of<model_file::TranslatorSession>(model);
  predict::check_scores_translations(packed.model.options, model.path());
  return model_file::load<model_file::TranslatorSession>(model.path());
}

}  // namespace

struct Scorer::State {
  model_file::LanguageModelSession session;
  predict::LineScorer scorer;

  State(const Model& model, const ScorerOptions& options)
      : session(api::session_of<model_file::LanguageModelSession>(model)),
        scorer(session, {.rows = options.mini_batch_words}) {}
};

Scorer::Scorer(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<ScorerOptions>(options))) {}

std::vector<ScoredText> Scorer::score(std::span<const std::string> texts, Report* report) const {
  return api::predict_all(state_->scorer, api::lines_of(texts), report);
}

ScoredText Scorer::score(const std::string& prompt,
                         std::span<const std::string> continuations) const {
  const std::vector<predict::PromptContinuations> prompts = {
      {.prompt = prompt, .continuations = {continuations.begin(), continuations.end()}}};
  return std::move(api::predict_all(state_->scorer, prompts, nullptr).front());
}

struct TranslationScorer::State {
  model_file::TranslatorSession session;
  predict::PairScorer scorer;

  State(const Model& model, const TranslationScorerOptions& options)
      : session(unpacked_session(model)), scorer(session, options.scoring) {}
};

TranslationScorer::TranslationScorer(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model,
                                           api::read_options<TranslationScorerOptions>(options))) {}

std::vector<ScoredText> TranslationScorer::score(std::span<const TextPair> pairs,
                                                 Report* report) const {
  return api::predict_all(state_->scorer, pairs, report);
}

}  // namespace weft
