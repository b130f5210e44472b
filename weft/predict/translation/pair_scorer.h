// Log-probabilities of translations, each beside its source.
#ifndef WEFT_PREDICT_TRANSLATION_PAIR_SCORER_H_
#define WEFT_PREDICT_TRANSLATION_PAIR_SCORER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/model_file/translator.h"
#include "weft/predict/predictor.h"
#include "weft/predict/translation/score.h"
#include "weft/score.h"

namespace weft::predict {

struct PairScorerOptions {
  int64_t max_length = 1000;  // tokens of a source and of a target, without the end symbol
  int64_t rows = 4096;        // target tokens of a pass
};

// A text that is longer than --max-length or than the model's tables is cropped. An empty one is
// scored: it has an end symbol.
class PairScorer {
 public:
  struct Request {
    std::vector<int32_t> source = {}, target = {};  // without the end symbol
    int64_t bytes = 0;                              // of the target's text
  };
  struct Answer {
    SentenceScore score;
    int64_t bytes = 0;
  };
  using Result = ScoredText;

  // The session has to outlive it.
  PairScorer(const model_file::TranslatorSession& session, const PairScorerOptions& options)
      : session_(&session), options_(options) {}

  Prepared<Request> prepare(std::span<const TextPair> pairs, Report& report) const;
  std::vector<Answer> run(std::span<const Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return kAnyNumber; }

 private:
  const model_file::TranslatorSession* session_;
  PairScorerOptions options_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_PAIR_SCORER_H_
