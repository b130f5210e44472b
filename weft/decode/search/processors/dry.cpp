#include "weft/decode/search/processors/dry.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::decode {
namespace {

constexpr double kLargestPenalty = 1e30;  // a float

// z[k], k > 0: the length of the longest beginning of x that x continues with from k on (Gusfield
// 1997, the Z-algorithm).
std::vector<int64_t> z_values(std::span<const int32_t> x) {
  std::vector<int64_t> z(x.size(), 0);
  int64_t left = 0, right = 0;  // of the match that ends last
  for (int64_t k = 1; k < std::ssize(x); ++k) {
    int64_t n = k < right ? std::min(right - k, z[k - left]) : 0;
    while (k + n < std::ssize(x) && x[n] == x[k + n]) ++n;
    z[k] = n;
    if (k + n > right) left = k, right = k + n;
  }
  return z;
}

}  // namespace

void DryOptions::validate() const {
  if (!is_on()) {
    options::check_unread(
        *this, [](std::string_view) { return false; }, "without --dry-multiplier");
  }
  if (std::ranges::count(sequence_breakers, "") > 0) {
    fail<OptionError>("--dry-sequence-breakers", "a string is empty");
  }
}

int64_t Dry::tokens_behind_breaker(std::span<const int32_t> tokens) const {
  const auto count = std::ssize(tokens);
  if (options.sequence_breakers.empty()) return count;
  std::string text;
  std::vector<size_t> ends;  // of each token in the text
  for (const int32_t token : tokens) {
    text += text_of(token);
    ends.push_back(text.size());
  }
  size_t end = 0;  // of the last breaker
  for (const std::string& breaker : options.sequence_breakers) {
    const size_t begin = text.rfind(breaker);
    if (begin != text.npos) end = std::max(end, begin + breaker.size());
  }
  if (end == 0) return count;
  return ends.end() - std::ranges::lower_bound(ends, end) - 1;
}

bool Dry::holds_breaker(int32_t token) const {
  if (options.sequence_breakers.empty()) return false;
  const std::string text = text_of(token);
  return std::ranges::any_of(options.sequence_breakers, [&](const std::string& breaker) {
    return text.find(breaker) != text.npos;
  });
}

void Dry::operator()(const TokenHistory& history, TokenScores& next) const {
  std::vector<int32_t> reversed = history.last(options.last_n);
  const int64_t limit = tokens_behind_breaker(reversed);
  if (limit < options.allowed_length) return;
  std::ranges::reverse(reversed);
  const std::vector<int64_t> repeated = z_values(reversed);
  std::map<int32_t, int64_t> longest;  // of the ends that a token has followed
  for (size_t k = 1; k < reversed.size(); ++k) {
    const int64_t length = std::min(repeated[k], limit);
    if (length < options.allowed_length) continue;
    int64_t& most = longest[reversed[k - 1]];
    most = std::max(most, length);
  }
  for (const auto& [token, length] : longest) {
    float* const logit = next.find(token);
    if (logit == nullptr || holds_breaker(token)) continue;
    const auto exponent = static_cast<double>(length - options.allowed_length);
    const double penalty = options.multiplier * std::pow(options.base, exponent);
    *logit -= static_cast<float>(std::min(penalty, kLargestPenalty));
  }
}

}  // namespace weft::decode
