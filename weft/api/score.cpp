#include "weft/score.h"

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/scoring/document_scorer.h"
#include "weft/predict/scoring/line_scorer.h"

namespace weft {
namespace {

struct ScorerOptions {
  bool tsv = false;
  int64_t mini_batch_words = 4096;

  template <class V>
  void fields(V& v) {
    v("tsv", tsv,
      {.help = "each line is a prompt and its continuations, with tabs between them, and each "
               "continuation is scored"});
    v("mini-batch-words", mini_batch_words,
      {.help = "tokens that the model reads together", .min = 1, .max = 1e9});
  }
};

struct DocumentScorerOptions {
  predict::DocumentScoringOptions scoring;

  template <class V>
  void fields(V& v) {
    v("context", scoring.context,
      {.help = "tokens of a document that are read at once; of each such chunk the second half is "
               "scored, as llama.cpp does",
       .min = 4,
       .max = 1e7});
    v("stride", scoring.stride,
      {.help = "score all tokens of a document, this many at a time with what of --context is left "
               "before them, as the documentation of Transformers does; 0: chunks",
       .min = 0,
       .max = 1e7});
    v("mini-batch-words", scoring.rows,
      {.help = "tokens that the model reads together", .min = 1, .max = 1e9});
  }
};

}  // namespace

struct Scorer::State {
  model_file::LanguageModelSession session;
  predict::LineScorer scorer;

  State(const Model& model, const ScorerOptions& options)
      : session(api::session_of<model_file::LanguageModelSession>(model)),
        scorer(session, {.continuations = options.tsv, .rows = options.mini_batch_words}) {}
};

Scorer::Scorer(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<ScorerOptions>(options))) {}

const OptionSchema& Scorer::schema() { return api::schema_of<ScorerOptions>(); }

std::vector<ScoredText> Scorer::score(std::span<const std::string> texts, Report* report) const {
  return score(api::lines_of(texts), report);
}

std::vector<ScoredText> Scorer::score(std::span<const Line> lines, Report* report) const {
  return api::predict_all(state_->scorer, lines, report);
}

ScoredText Scorer::score(const std::string& prompt,
                         std::span<const std::string> continuations) const {
  const std::vector<predict::PromptContinuations> prompts = {
      {.prompt = prompt, .continuations = {continuations.begin(), continuations.end()}}};
  return std::move(api::predict_all(state_->scorer, prompts, nullptr).front());
}

struct DocumentScorer::State {
  model_file::LanguageModelSession session;
  predict::DocumentScorer scorer;

  State(const Model& model, const DocumentScorerOptions& options)
      : session(api::session_of<model_file::LanguageModelSession>(model)),
        scorer(session, options.scoring) {}
};

DocumentScorer::DocumentScorer(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model,
                                           api::read_options<DocumentScorerOptions>(options))) {}

const OptionSchema& DocumentScorer::schema() { return api::schema_of<DocumentScorerOptions>(); }

ScoredText DocumentScorer::score(const std::string& document, Report* report) const {
  const predict::DocumentScore found =
      api::predict_all(state_->scorer, std::vector<Line>{{.text = document}}, report).front();
  if (found.fault) return {.fault = found.fault};
  return {.scores = {found.score}};
}

}  // namespace weft
