#include "weft/predict/scoring/document_scorer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/utf8.h"
#include "weft/predict/scoring/token_texts.h"

namespace weft::predict {

DocumentScorer::DocumentScorer(const model_file::LanguageModelSession& session,
                               const DocumentScoringOptions& options)
    : session_(&session), options_(options) {
  const int64_t most = session.model.options.context();
  if (options.context > most) {
    fail<OptionError>("--context", "{} tokens; expected at most {}, the context of the model",
                      options.context, most);
  }
  if (options.stride > options.context) {
    fail<OptionError>("--stride", "{} tokens; expected at most --context, {}", options.stride,
                      options.context);
  }
}

std::vector<ScoringRequest> DocumentScorer::chunks_of(std::span<const int32_t> ids) const {
  const auto context = static_cast<size_t>(options_.context);
  const int64_t first = options_.context / 2 + 1;
  std::vector<Request> out;
  for (size_t begin = 0; begin + context <= ids.size(); begin += context) {
    const auto chunk = ids.subspan(begin, context);
    Request& request = out.emplace_back();
    request.ids.assign(chunk.begin(), chunk.end());
    request.first = first;
    request.bytes = bytes_of_tokens(*session_->tokeniser, chunk, {first, options_.context});
    if (session_->adds_begin) {
      request.ids.front() = static_cast<int32_t>(session_->model.dims.begin_id);
    }
  }
  return out;
}

std::vector<ScoringRequest> DocumentScorer::windows_of(std::span<const int32_t> ids) const {
  const auto count = std::ssize(ids);
  std::vector<Request> out;
  for (int64_t begin = 0, scored = 1; scored < count; begin += options_.stride) {
    const int64_t end = std::min(begin + options_.context, count);
    const int64_t first = std::max(scored, begin + 1);
    scored = end;
    if (first == end) continue;
    Request& request = out.emplace_back();
    request.ids.assign(ids.begin() + begin, ids.begin() + end);
    request.first = first - begin;
    request.bytes = bytes_of_tokens(*session_->tokeniser, ids, {first, end});
  }
  return out;
}

Prepared<ScoringRequest> DocumentScorer::prepare(std::span<const Line> documents,
                                                 Report& report) const {
  Prepared<Request> out(documents.size(), report);
  for (size_t i = 0; i < documents.size(); ++i) {
    std::optional<Fault> fault = documents[i].fault;
    if (!fault && !valid_utf8(documents[i].text)) fault = not_utf8_fault();
    const std::vector<int32_t> ids =
        fault ? std::vector<int32_t>() : tokens_of_text(*session_, documents[i].text);
    std::vector<Request> parts = options_.stride == 0 ? chunks_of(ids) : windows_of(ids);
    if (!fault && parts.empty()) {
      fault = Fault{FaultKind::kUnreadable,
                    fmt::format("{}; expected at least {}", counted(std::ssize(ids), "token"),
                                options_.stride == 0
                                    ? fmt::format("--context, {}, or --stride", options_.context)
                                    : "2")};
    }
    add_texts(std::move(parts), fault, i, out, report);
  }
  return out;
}

std::vector<DocumentScore> DocumentScorer::finish(const Prepared<Request>& prepared,
                                                  std::span<Answer> answers, Report& report) const {
  std::vector<DocumentScore> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> parts) {
    DocumentScore& document = out.emplace_back();
    document.fault = prepared.inputs[i].fault;
    for (const TextScore& part : parts) document.score = document.score + part;
    if (!std::isfinite(document.score.log_probability)) {
      document.fault = prepared.not_finite(i, report);
    }
  });
  return out;
}

}  // namespace weft::predict
