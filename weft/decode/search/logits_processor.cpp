#include "weft/decode/search/logits_processor.h"

#include <algorithm>
#include <set>

namespace weft::decode {
namespace {

bool ends_with(HypothesisTokens tokens, HypothesisTokens end) {
  return tokens.size() >= end.size() && std::ranges::equal(tokens.last(end.size()), end);
}

}  // namespace

float* TokenScores::find(int32_t token) const {
  if (tokens.empty()) return token < std::ssize(logits) ? logits.data() + token : nullptr;
  const auto at = std::ranges::lower_bound(tokens, token);
  const bool is_there = at != tokens.end() && *at == token;
  return is_there ? logits.data() + (at - tokens.begin()) : nullptr;
}

void RepetitionPenalty::operator()(HypothesisTokens so_far, TokenScores& next) const {
  for (const int32_t token : std::set(so_far.begin(), so_far.end())) {
    float* const logit = next.find(token);
    if (logit == nullptr) continue;
    *logit = static_cast<float>(next.log_sum + (double{*logit} - next.log_sum) * factor);
  }
}

void NoRepeatNgram::operator()(HypothesisTokens so_far, TokenScores& next) const {
  const auto context = static_cast<size_t>(size - 1);
  if (so_far.size() < context) return;
  const HypothesisTokens last = so_far.last(context);
  for (size_t i = 0; i + context < so_far.size(); ++i) {
    if (std::ranges::equal(so_far.subspan(i, context), last)) next.forbid(so_far[i + context]);
  }
}

void BannedPhrases::operator()(HypothesisTokens so_far, TokenScores& next) const {
  for (const Phrase& phrase : *phrases) {
    const HypothesisTokens before = HypothesisTokens(phrase).first(phrase.size() - 1);
    if (ends_with(so_far, before)) next.forbid(phrase.back());
  }
}

}  // namespace weft::decode
