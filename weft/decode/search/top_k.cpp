#include "weft/decode/search/top_k.h"

#include "weft/decode/search/processors/token_scores.h"

namespace weft::decode {
namespace {

// Logits compared together: most blocks hold none of the best and are skipped.
constexpr int64_t kScanBlock = 32;

bool any_above(const float* x, float bound) {
  int above = 0;
  for (int64_t i = 0; i < kScanBlock; ++i) above |= x[i] > bound ? 1 : 0;
  return above != 0;
}

// The k best of a row so far, in order. Columns are offered in rising order, so a later equal never
// passes an earlier one.
struct Best {
  ScoredColumn* found;
  int64_t k;
  int64_t count = 0;
  float bound = kNever;  // a logit has to exceed it

  void offer(float logit, int32_t column) {
    if (!(logit > bound)) return;
    int64_t i = count < k ? count++ : k - 1;
    for (; i > 0 && found[i - 1].logit < logit; --i) found[i] = found[i - 1];
    found[i] = {logit, column};
    if (count == k) bound = found[k - 1].logit;
  }
};

}  // namespace

int64_t top_k(std::span<const float> logits, std::span<ScoredColumn> out) {
  const float* x = logits.data();
  const auto n = std::ssize(logits);
  Best best{out.data(), std::ssize(out)};
  int64_t i = 0;
  for (; i + kScanBlock <= n; i += kScanBlock) {
    if (!any_above(x + i, best.bound)) continue;
    for (int64_t j = i; j < i + kScanBlock; ++j) best.offer(x[j], static_cast<int32_t>(j));
  }
  for (; i < n; ++i) best.offer(x[i], static_cast<int32_t>(i));
  return best.count;
}

}  // namespace weft::decode
