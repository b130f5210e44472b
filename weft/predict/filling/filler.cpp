#include "weft/predict/filling/filler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/data/text/plain_tokeniser.h"
#include "weft/predict/batches.h"
#include "weft/predict/filling/text_tokens.h"
#include "weft/predict/token_limit.h"

namespace weft::predict {
namespace {

constexpr size_t kRowsTogether = 256;  // whose logits exist at a time

// Tokens that would end a line or a column.
bool breaks_lines(std::string_view text) { return text.find_first_of("\n\r\t") != text.npos; }

bool has_any_word(std::string_view line) {
  bool out = false;
  data::for_each_word(line, [&](std::string_view) { out = true; });
  return out;
}

// A mask of a request.
struct MaskedRow {
  size_t request, mask;
  int32_t row;  // of the batch
};

}  // namespace

void FillOptions::validate() const {
  const bool has_word = mask_token.find_first_not_of(" \t") != mask_token.npos;
  if (!mask_token.empty() && !has_word) {
    fail<OptionError>("--mask-token", "expected a text that is not of spaces alone");
  }
}

Filler::Filler(const model_file::MaskedLmSession& session, const FillOptions& options,
               const TextBatchOptions& batches)
    : session_(session),
      batches_(batches),
      candidates_(std::max<int64_t>(options.top, 1)),
      mask_{options.mask_token.empty() ? session.mask_text() : options.mask_token,
            static_cast<int32_t>(session.model.dims.mask_id)},
      tokens_(text_tokens(*session.tokeniser)) {
  const models::MaskedLmOptions& o = session.model.options;
  const int64_t known = session.max_length > 0 ? session.max_length : batches.max_length;
  most_tokens_ = token_limit(std::min(known, batches.max_length), o.encoder.table_capacity(),
                             o.special_symbols());
}

std::optional<Fault> Filler::prepare_line(const Line& line, MaskedText& text,
                                          Report& report) const {
  if (std::optional<Fault> fault = fault_of_text(line)) return fault;
  if (!has_any_word(line.text)) return Fault{FaultKind::kEmpty, "empty"};
  const data::Tokeniser& tokeniser = *session_.tokeniser;
  text = read_masked_text(tokeniser, mask_, line.text);
  if (text.masks.empty()) {
    return Fault{FaultKind::kNoMask, fmt::format("no {}; expected at least one", mask_.text)};
  }
  if (text.masks.back() >= most_tokens_) {
    return Fault{FaultKind::kOverContext,
                 fmt::format("a mask behind {} tokens; expected all within the first {}",
                             text.masks.back(), most_tokens_)};
  }
  if (std::ssize(text.ids) > most_tokens_) {
    text.ids.resize(static_cast<size_t>(most_tokens_));
    report.add(Note::kCropped);
  }
  if (std::ranges::count(text.ids, tokeniser.unknown_id()) > 0) report.add(Note::kUnknown);
  report.input_tokens += std::ssize(text.ids) + session_.model.options.special_symbols();
  return std::nullopt;
}

Prepared<Filler::Request> Filler::prepare(std::span<const Line> lines, Report& report) const {
  Prepared<Request> out(lines.size(), report);
  for (size_t i = 0; i < lines.size(); ++i) {
    MaskedText text;
    const std::optional<Fault> fault = prepare_line(lines[i], text, report);
    out.add(i, std::move(text), fault, report);
  }
  return out;
}

std::vector<Filler::Answer> Filler::run(std::span<Request> requests) const {
  std::vector<Answer> out(requests.size());
  const auto length = [&](size_t i) { return requests[i].ids.size(); };
  for_each_batch(requests.size(), batches_.mini_batch, length,
                 [&](std::span<const size_t> numbers) { run_batch(requests, numbers, out); });
  return out;
}

void Filler::run_batch(std::span<const Request> requests, std::span<const size_t> numbers,
                       std::vector<Answer>& out) const {
  const models::MaskedLm& model = session_.model;
  const data::Tokeniser& tokeniser = *session_.tokeniser;
  const bool with_begin = model.options.encoder.embedding.begin_symbol;
  data::Tokens texts;
  std::vector<MaskedRow> masks;
  std::vector<int32_t> rows, ids;
  for (const size_t i : numbers) {
    ids.clear();
    if (with_begin) ids.push_back(tokeniser.begin_id());
    const auto first = static_cast<int32_t>(texts.rows() + std::ssize(ids));
    ids.insert(ids.end(), requests[i].ids.begin(), requests[i].ids.end());
    texts.add(ids, tokeniser.end_id());
    out[i].resize(requests[i].masks.size());
    for (size_t m = 0; m < requests[i].masks.size(); ++m) {
      masks.push_back({i, m, first + requests[i].masks[m]});
      rows.push_back(masks.back().row);
    }
  }
  const Tensor states = model.states(texts, rows, {});  // [M, D]
  for (size_t begin = 0; begin < masks.size(); begin += kRowsTogether) {
    const size_t end = std::min(begin + kRowsTogether, masks.size());
    const Tensor some = states.row_range(static_cast<int64_t>(begin), static_cast<int64_t>(end));
    const Tensor logits = model.logits(some, {}).to(DType::kF32);  // [m, V]
    for (size_t m = begin; m < end; ++m) {
      const float* const scores =
          logits.data<float>() + static_cast<int64_t>(m - begin) * logits.cols();
      out[masks[m].request][masks[m].mask] =
          candidates_of({scores, static_cast<size_t>(logits.cols())});
    }
  }
}

// Empty where a score is not a finite number.
std::vector<TokenCandidate> Filler::candidates_of(std::span<const float> logits) const {
  const double largest = std::ranges::max(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  if (!std::isfinite(sum)) return {};
  const auto most = static_cast<size_t>(candidates_);
  std::vector<int32_t> order = tokens_;
  const auto is_better = [&](int32_t a, int32_t b) {
    const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  };
  std::vector<TokenCandidate> out;
  for (size_t sorted = 0; sorted < order.size() && out.size() < most;) {
    const size_t next = std::min(order.size(), sorted + most);
    std::partial_sort(order.begin() + static_cast<int64_t>(sorted),
                      order.begin() + static_cast<int64_t>(next), order.end(), is_better);
    for (; sorted < next && out.size() < most; ++sorted) {
      const int32_t token = order[sorted];
      if (breaks_lines(text_of_token(*session_.tokeniser, token))) continue;
      out.push_back({token, std::exp(logits[static_cast<size_t>(token)] - largest) / sum});
    }
  }
  return out;
}

std::vector<FilledLine> Filler::finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                                       Report& report) const {
  std::vector<FilledLine> out(prepared.inputs.size());
  size_t next = 0;
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> found) {
    out[i].fault = prepared.inputs[i].fault;
    if (found.empty()) return;
    const MaskedText& text = prepared.requests[next++];
    Answer& masks = found.front();
    if (std::ranges::any_of(masks, [](const auto& mask) { return mask.empty(); })) {
      out[i].fault = prepared.not_finite(i, report);
      return;
    }
    std::vector<int32_t> best;
    for (const std::vector<TokenCandidate>& mask : masks) best.push_back(mask.front().token);
    out[i].text = filled_text(*session_.tokeniser, text, best);
    out[i].masks = std::move(masks);
  });
  return out;
}

}  // namespace weft::predict
