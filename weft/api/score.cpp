#include "weft/score.h"

#include <cmath>

#include "weft/api/inputs.h"
#include "weft/api/loaded_model.h"
#include "weft/api/read_options.h"
#include "weft/predict/scoring/line_scorer.h"

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

ScoredText scored_text(predict::LineScores found) {
  ScoredText out;
  out.fault = std::move(found.fault);
  for (const predict::TextScore& score : found.scores) {
    out.scores.push_back({score.log_probability, score.tokens, score.bytes});
  }
  return out;
}

// As a line of a prompt and its continuations has it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace

double TextScore::perplexity() const {
  return std::exp(-log_probability / static_cast<double>(tokens));
}

struct Scorer::State {
  model_file::LanguageModelSession session;
  predict::LineScorer lines, continuations;

  State(const Model& model, const ScorerOptions& options)
      : session(api::session_of<model_file::LanguageModelSession>(model)),
        lines(session, {.continuations = false, .rows = options.mini_batch_words}),
        continuations(session, {.continuations = true, .rows = options.mini_batch_words}) {}
};

Scorer::Scorer(const Model& model, const Options& options)
    : state_(std::make_shared<const State>(model, api::read_options<ScorerOptions>(options))) {}

std::vector<ScoredText> Scorer::score(std::span<const std::string> texts, Report* report) const {
  std::vector<ScoredText> out;
  out.reserve(texts.size());
  for (predict::LineScores& line : api::predict_all(state_->lines, api::lines_of(texts), report)) {
    out.push_back(scored_text(std::move(line)));
  }
  return out;
}

ScoredText Scorer::score(const std::string& prompt,
                         std::span<const std::string> continuations) const {
  std::string line = escaped(prompt);
  for (const std::string& continuation : continuations) line += '\t' + escaped(continuation);
  const std::vector<std::string> lines = {line};
  return scored_text(
      std::move(api::predict_all(state_->continuations, api::lines_of(lines), nullptr).front()));
}

}  // namespace weft
