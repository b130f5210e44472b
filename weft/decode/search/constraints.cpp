#include "weft/decode/search/constraints.h"

#include <algorithm>

namespace weft::decode {
namespace {

bool holds(const Phrase& tokens, const Phrase& phrase) {
  return std::search(tokens.begin(), tokens.end(), phrase.begin(), phrase.end()) != tokens.end();
}

// The longest prefix of the phrase that its first `matched` tokens and then `token` end with.
int32_t step(const Phrase& phrase, const std::vector<int32_t>& fallback, int32_t matched,
             int32_t token) {
  while (matched > 0 && phrase[matched] != token) matched = fallback[matched];
  return phrase[matched] == token ? matched + 1 : 0;
}

std::vector<int32_t> fallbacks(const Phrase& phrase) {
  std::vector<int32_t> out(phrase.size(), 0);
  for (size_t n = 1; n + 1 < phrase.size(); ++n) {
    out[n + 1] = step(phrase, out, out[n], phrase[n]);
  }
  return out;
}

}  // namespace

Constraints::Constraints(const std::vector<Phrase>& phrases) {
  for (size_t i = 0; i < phrases.size(); ++i) {
    const auto is_in = [&](size_t j) {
      return j != i && holds(phrases[j], phrases[i]) && (phrases[j] != phrases[i] || j < i);
    };
    bool is_left_out = false;
    for (size_t j = 0; j < phrases.size(); ++j) is_left_out |= is_in(j);
    if (is_left_out) continue;
    phrases_.push_back(phrases[i]);
    fallback_.push_back(fallbacks(phrases[i]));
    tokens_ += std::ssize(phrases[i]);
  }
}

Constraints::Progress Constraints::after(const Progress& before, int32_t token) const {
  Progress out = before;
  for (size_t i = 0; i < phrases_.size(); ++i) {
    if (before[i] == std::ssize(phrases_[i])) continue;
    out[i] = step(phrases_[i], fallback_[i], before[i], token);
  }
  return out;
}

// Continuing one phrase can undo the matches of the others: only the longest match counts.
int64_t Constraints::missing(const Progress& progress) const {
  int64_t tokens = 0;
  int32_t begun = 0;
  for (size_t i = 0; i < phrases_.size(); ++i) {
    if (progress[i] == std::ssize(phrases_[i])) continue;
    tokens += std::ssize(phrases_[i]);
    begun = std::max(begun, progress[i]);
  }
  return tokens - begun;
}

std::vector<int32_t> Constraints::wanted(const Progress& progress) const {
  std::vector<int32_t> out;
  for (size_t i = 0; i < phrases_.size(); ++i) {
    if (progress[i] < std::ssize(phrases_[i])) out.push_back(phrases_[i][progress[i]]);
  }
  return out;
}

}  // namespace weft::decode
