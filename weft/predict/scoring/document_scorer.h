// Perplexity and bits per byte of documents by a language model.
#ifndef WEFT_PREDICT_SCORING_DOCUMENT_SCORER_H_
#define WEFT_PREDICT_SCORING_DOCUMENT_SCORER_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/model_file/language_model.h"
#include "weft/predict/predictor.h"
#include "weft/predict/scoring/score_texts.h"

namespace weft::predict {

struct DocumentScoringOptions {
  int64_t context = 512;  // tokens that the model reads at once, at least 4
  int64_t stride = 0;     // 0: chunks
  int64_t rows = 4096;    // tokens of a pass
};

struct DocumentScore {
  TextScore score = {};
  std::optional<Fault> fault = {};
};

// Divides a document's tokens into parts of `context` tokens:
//   chunks, one after the other, of each of which the second half is scored but for its first
//     token, given all before it in the chunk; a rest that is shorter is not read, and the begin
//     symbol, where there is one, takes the place of each chunk's first token. This is the
//     perplexity of llama.cpp.
//   windows, each `stride` tokens behind the one before, of each of which those tokens are scored
//     that no window before has: every token of the document but the first, with at least context -
//     stride tokens before it where there are as many; with a stride of `context` all but the first
//     of each window. This is the perplexity in the documentation of Transformers, summed over
//     tokens.
class DocumentScorer {
 public:
  using Request = ScoringRequest;
  using Answer = TextScore;
  using Result = DocumentScore;

  // The session has to outlive it. Throws OptionError for a context over that of the model and a
  // stride over the context.
  DocumentScorer(const model_file::LanguageModelSession& session,
                 const DocumentScoringOptions& options);

  // An input is the text of a document. One that has nothing to score has a fault.
  Prepared<Request> prepare(std::span<const Line> documents, Report& report) const;
  std::vector<Answer> run(std::span<const Request> requests) const {
    return score_texts(session_->model, requests, options_.rows);
  }
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
  int64_t most_prepared() const { return 1; }

 private:
  std::vector<Request> chunks_of(std::span<const int32_t> ids) const;
  std::vector<Request> windows_of(std::span<const int32_t> ids) const;

  const model_file::LanguageModelSession* session_;
  DocumentScoringOptions options_;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_SCORING_DOCUMENT_SCORER_H_
