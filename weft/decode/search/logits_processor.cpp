#include "weft/decode/search/logits_processor.h"

#include <algorithm>
#include <set>

namespace weft::decode {
namespace {

bool ends_with(std::span<const int32_t> tokens, std::span<const int32_t> end) {
  return tokens.size() >= end.size() && std::ranges::equal(tokens.last(end.size()), end);
}

}  // namespace

void RepetitionPenalty::operator()(const TokenHistory& history, TokenScores& next) const {
  for (const int32_t token : std::set(history.tokens.begin(), history.tokens.end())) {
    float* const logit = next.find(token);
    if (logit == nullptr) continue;
    *logit = static_cast<float>(next.log_sum + (double{*logit} - next.log_sum) * factor);
  }
}

void NoRepeatNgram::operator()(const TokenHistory& history, TokenScores& next) const {
  const std::span<const int32_t> so_far = history.tokens;
  const auto context = static_cast<size_t>(size - 1);
  if (so_far.size() < context) return;
  const std::span<const int32_t> last = so_far.last(context);
  for (size_t i = 0; i + context < so_far.size(); ++i) {
    if (std::ranges::equal(so_far.subspan(i, context), last)) next.forbid(so_far[i + context]);
  }
}

void BannedPhrases::operator()(const TokenHistory& history, TokenScores& next) const {
  for (const Phrase& phrase : *phrases) {
    const auto before = std::span(phrase).first(phrase.size() - 1);
    if (ends_with(history.tokens, before)) next.forbid(phrase.back());
  }
}

}  // namespace weft::decode
