// Log-probabilities of lines by a language model, or of continuations of prompts.
#ifndef WEFT_PREDICT_SCORING_LINE_SCORER_H_
#define WEFT_PREDICT_SCORING_LINE_SCORER_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/model_file/language_model.h"
#include "weft/predict/predictor.h"
#include "weft/predict/scoring/score_texts.h"

namespace weft::predict {

struct LineScoringOptions {
  // A line is a prompt and its continuations, separated by tabs, in which \n, \r, \t and \\ are a
  // line break, a carriage return, a tab and a backslash.
  bool continuations = false;
  int64_t rows = 4096;  // tokens of a pass
};

struct PromptContinuations {
  std::string prompt;
  std::vector<std::string> continuations;
};

// The tokens of a line are scored, but for its first where the model's texts have no begin symbol:
// nothing stands before it. Of a continuation those tokens are scored that the tokens of prompt and
// continuation together do not share with those of the prompt alone.
class LineScorer {
 public:
  using Request = ScoringRequest;
  using Answer = TextScore;
  using Result = ScoredText;

  // The session has to outlive it.
  LineScorer(const model_file::LanguageModelSession& session, const LineScoringOptions& options)
      : session_(&session), options_(options) {}

  // A line has a fault that has no token to score, such as one of a single token without a begin
  // symbol, or is longer than the context of the model.
  Prepared<Request> prepare(std::span<const Line> lines, Report& report) const;
  // The same of prompts, each with one continuation or more.
  Prepared<Request> prepare(std::span<const PromptContinuations> prompts, Report& report) const;
  std::vector<Answer> run(std::span<const Request> requests) const {
    return score_texts(session_->model, requests, options_.rows);
  }
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

 private:
  struct Requests {
    std::vector<Request> texts = {};
    std::optional<Fault> fault = {};
  };
  template <class Input>
  Prepared<Request> prepare_all(std::span<const Input> inputs, Report& report) const;
  Requests requests_of(const Line& line) const;
  Requests requests_of(const PromptContinuations& prompt) const;
  std::optional<Fault> fault_of(const Request& request) const;
  Request request_of_line(const std::string& text) const;
  Request request_of_continuation(const std::string& prompt, const std::string& continuation) const;

  const model_file::LanguageModelSession* session_;
  LineScoringOptions options_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_SCORING_LINE_SCORER_H_
