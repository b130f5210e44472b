#include "weft/decode/top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/parallel.h"

namespace weft::decode {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
// Logits looked at together: one comparison tells that none of them is among the best.
constexpr int64_t kBlock = 32;

struct Found {
  float logit;
  int32_t token;
};

bool any_above(const float* x, float bound) {
  int above = 0;
  for (int64_t i = 0; i < kBlock; ++i) above |= x[i] > bound ? 1 : 0;
  return above != 0;
}

// The k best of a row so far, in order. Tokens come with rising ids, so that a later equal never
// passes an earlier one.
struct Best {
  Found* found;
  int64_t k;
  int64_t count = 0;
  float bound = kNever;  // what a logit has to exceed

  void offer(float logit, int32_t token) {
    if (!(logit > bound)) return;
    int64_t at = count < k ? count++ : k - 1;
    for (; at > 0 && found[at - 1].logit < logit; --at) found[at] = found[at - 1];
    found[at] = {logit, token};
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

void TopK::find(const Tensor& logits, int64_t k, std::span<const int32_t> forbidden) {
  const int64_t width = logits.rows(), vocabulary = logits.cols();
  const auto rows = static_cast<size_t>(width);
  k_ = std::min(k, vocabulary);
  best_.resize(rows);
  top_.resize(rows);
  losses_.resize(rows);
  log_sums_.resize(rows);
  counts_.resize(rows);
  found_.resize(rows * static_cast<size_t>(k_));

  // The loss of the best token is log sum exp(x - top): scoring a given text takes the same sum.
  const auto& backend = backend_of(logits);
  backend.row_argmax(logits, best_.data());
  backend.cross_entropy({logits, best_.data(), 0, 0, losses_.data(), log_sums_.data(), {}});
  float* x = logits.data<float>();
  const int64_t stride = logits.stride();
  for (size_t w = 0; w < rows; ++w) {
    float* row = x + static_cast<int64_t>(w) * stride;
    top_[w] = row[best_[w]];
    if (!std::isfinite(log_sums_[w]) || !std::isfinite(top_[w])) {
      fail<NumericError>("search", "the model's scores are not finite numbers");
    }
    for (const int32_t token : forbidden) row[token] = kNever;
  }
  parallel_for(width, 1 + 65536 / std::max<int64_t>(vocabulary, 1), [&](int64_t from, int64_t to) {
    std::vector<Found> found(static_cast<size_t>(k_));
    for (int64_t w = from; w < to; ++w) {
      const int64_t count = best_of_row(x + w * stride, vocabulary, k_, found.data());
      counts_[w] = static_cast<int32_t>(count);
      for (int64_t i = 0; i < count; ++i) {
        found_[w * k_ + i] = {double{found[i].logit - top_[w]} - log_sums_[w], found[i].token};
      }
    }
  });
}

}  // namespace weft::decode
