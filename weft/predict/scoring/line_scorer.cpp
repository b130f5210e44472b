#include "weft/predict/scoring/line_scorer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/core/text/counted.h"
#include "weft/core/text/escapes.h"
#include "weft/core/text/utf8.h"
#include "weft/data/text/tab_fields.h"
#include "weft/predict/scoring/token_texts.h"

namespace weft::predict {
namespace {

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> out;
  data::for_each_tab_field(line, [&](std::string_view field) { out.push_back(unescaped(field)); });
  return out;
}

}  // namespace

ScoringRequest LineScorer::request_of_line(const std::string& text) const {
  ScoringRequest out{.ids = tokens_of_text(*session_, text)};
  out.bytes = bytes_of_tokens(*session_->tokeniser, out.ids, {1, std::ssize(out.ids)});
  return out;
}

ScoringRequest LineScorer::request_of_continuation(const std::string& prompt,
                                                   const std::string& continuation) const {
  const std::vector<int32_t> before = tokens_of_text(*session_, prompt);
  ScoringRequest out{.ids = tokens_of_text(*session_, prompt + continuation)};
  const auto differs = std::ranges::mismatch(before, out.ids).in2;
  out.first = std::max<int64_t>(differs - out.ids.begin(), 1);
  out.bytes = std::ssize(continuation);
  return out;
}

std::optional<Fault> LineScorer::fault_of(const ScoringRequest& request) const {
  const auto tokens = std::ssize(request.ids);
  const int64_t context = session_->model.options.context();
  if (request.first >= tokens) return Fault{FaultKind::kEmpty, "no token to score"};
  if (tokens <= context) return std::nullopt;
  return Fault{FaultKind::kOverContext, fmt::format("{}; the context of the model is {}",
                                                    counted(tokens, "token"), context)};
}

LineScorer::Requests LineScorer::requests_of(const Line& line) const {
  if (std::optional<Fault> fault = fault_of_text(line)) return {.fault = std::move(fault)};
  if (!options_.continuations) {
    Requests out{.texts = {request_of_line(line.text)}};
    out.fault = fault_of(out.texts.front());
    if (out.texts.front().ids.size() == 1) {
      out.fault = Fault{FaultKind::kUnreadable, "1 token, with none before it; expected 2 or more"};
    }
    return out;
  }
  if (line.text.empty()) return {.fault = Fault{FaultKind::kEmpty, "no prompt"}};
  std::vector<std::string> columns = columns_of(line.text);
  if (columns.size() < 2) {
    return {.fault = Fault{FaultKind::kUnreadable,
                           "1 column; expected a prompt and its continuations, separated by tabs"}};
  }
  PromptContinuations prompt{.prompt = std::move(columns.front()), .continuations = {}};
  columns.erase(columns.begin());
  prompt.continuations = std::move(columns);
  return requests_of(prompt);
}

LineScorer::Requests LineScorer::requests_of(const PromptContinuations& prompt) const {
  Requests out;
  if (prompt.continuations.empty()) {
    out.fault = Fault{FaultKind::kUnreadable, "no continuation; expected one or more"};
  }
  if (!valid_utf8(prompt.prompt)) out.fault = not_utf8_fault();
  for (size_t i = 0; i < prompt.continuations.size() && !out.fault; ++i) {
    const std::string& continuation = prompt.continuations[i];
    out.texts.push_back(request_of_continuation(prompt.prompt, continuation));
    out.fault = valid_utf8(continuation) ? fault_of(out.texts.back()) : not_utf8_fault();
    if (!out.fault) continue;
    if (out.fault->kind == FaultKind::kEmpty) out.fault->kind = FaultKind::kUnreadable;
    out.fault->reason = fmt::format("continuation {}: {}", i + 1, out.fault->reason);
  }
  return out;
}

template <class Input>
Prepared<ScoringRequest> LineScorer::prepare_all(std::span<const Input> inputs,
                                                 Report& report) const {
  Prepared<Request> out(inputs.size(), report);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Requests requests = requests_of(inputs[i]);
    add_texts(std::move(requests.texts), requests.fault, i, out, report);
  }
  return out;
}

Prepared<ScoringRequest> LineScorer::prepare(std::span<const Line> lines, Report& report) const {
  return prepare_all(lines, report);
}

Prepared<ScoringRequest> LineScorer::prepare(std::span<const PromptContinuations> prompts,
                                             Report& report) const {
  return prepare_all(prompts, report);
}

std::vector<ScoredText> LineScorer::finish(const Prepared<Request>& prepared,
                                           std::span<Answer> answers, Report& report) const {
  std::vector<ScoredText> out;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> scores) {
    ScoredText& line = out.emplace_back();
    line.fault = prepared.inputs[i].fault;
    const bool is_finite = std::ranges::all_of(
        scores, [](const TextScore& score) { return std::isfinite(score.log_probability); });
    if (!is_finite) line.fault = prepared.not_finite(i, report);
    if (!line.fault) line.scores.assign(scores.begin(), scores.end());
  });
  return out;
}

}  // namespace weft::predict
