#include "weft/decode/draft/draft_length.h"

#include <algorithm>

namespace weft::decode {
namespace {

constexpr double kNewestWeight = 0.125;  // of the latest token in the mean
constexpr int64_t kShortestPause = 16, kLongestPause = 128;

}  // namespace

// With acceptance p, k drafted tokens give 1 + p + ... + p^k tokens. The ratio rises up to the best
// k and falls from there on.
int64_t DraftLength::best_length(int64_t others, double token_cost) const {
  double tokens = static_cast<double>(others) + 1, expected = 1;
  double cost = 1 + kRowCost * static_cast<double>(others);
  for (int64_t k = 1; k <= kMost; ++k) {
    expected *= acceptance_;
    const double next_tokens = tokens + expected, next_cost = cost + kRowCost + token_cost;
    if (next_tokens * cost <= tokens * next_cost) return k - 1;
    tokens = next_tokens;
    cost = next_cost;
  }
  return kMost;
}

int64_t DraftLength::next(int64_t others, double token_cost) {
  const int64_t best = best_length(others, token_cost);
  if (best > 0) return best;
  return ++steps_off_ < pause_ ? 0 : 1;
}

void DraftLength::record(int64_t accepted, bool is_refused) {
  if (accepted == 0 && !is_refused) return;
  for (int64_t i = 0; i < accepted; ++i) acceptance_ += kNewestWeight * (1 - acceptance_);
  if (is_refused) acceptance_ -= kNewestWeight * acceptance_;
  if (steps_off_ >= pause_) {
    pause_ = accepted > 0 ? kShortestPause : std::min(2 * pause_, kLongestPause);
    steps_off_ = 0;
  }
}

}  // namespace weft::decode
