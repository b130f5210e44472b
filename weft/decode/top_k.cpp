#include "weft/decode/top_k.h"

#include <algorithm>

#include "weft/core/parallel.h"
#include "weft/core/profile.h"

namespace weft::decode {
namespace {

// Logits looked at together: one comparison tells that none of them is among the best.
constexpr int64_t kBlock = 32;

struct Found {
  float logit;
  int32_t column;
};

bool any_above(const float* x, float bound) {
  int above = 0;
  for (int64_t i = 0; i < kBlock; ++i) above |= x[i] > bound ? 1 : 0;
  return above != 0;
}

// The k best of a row so far, in order. Columns stand for rising ids, so that a later equal never
// passes an earlier one.
struct Best {
  Found* found;
  int64_t k;
  int64_t count = 0;
  float bound = kNever;  // what a logit has to exceed

  void offer(float logit, int32_t column) {
    if (!(logit > bound)) return;
    int64_t at = count < k ? count++ : k - 1;
    for (; at > 0 && found[at - 1].logit < logit; --at) found[at] = found[at - 1];
    found[at] = {logit, column};
    if (count == k) bound = found[k - 1].logit;
  }
};

int64_t best_of_row(const float* x, int64_t n, int64_t k, Found* found) {
  Best best{found, k};
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    if (!any_above(x + i, best.bound)) continue;
    for (int64_t j = i; j < i + kBlock; ++j) best.offer(x[j], static_cast<int32_t>(j));
  }
  for (; i < n; ++i) best.offer(x[i], static_cast<int32_t>(i));
  return best.count;
}

}  // namespace

void TopK::find(const Tensor& logits, int64_t k, const Adjust& adjust, Columns columns) {
  const int64_t width = logits.cols(), most = std::min(k, width);
  begin(logits, columns, most, adjust);
  const profile::Span span("top_k");
  const int64_t share = 1 + 65536 / std::max<int64_t>(width, 1);
  parallel_for(logits.rows(), share, [&](int64_t from, int64_t to) {
    std::vector<Found> found(static_cast<size_t>(most));
    for (int64_t w = from; w < to; ++w) {
      const int64_t count = best_of_row(logits_of(w), width, most, found.data());
      set_count(w, count);
      for (int64_t i = 0; i < count; ++i) set(w, i, found[i].logit, found[i].column);
    }
  });
}

}  // namespace weft::decode
