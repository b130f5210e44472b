#include "weft/decode/next_tokens.h"

#include <cmath>
#include <limits>

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/reduce.h"

namespace weft::decode {

TokenScores NextTokens::scores_of(int64_t w) const {
  return {std::span(logits_of(w), static_cast<size_t>(width_)), double{top_[w]} + log_sums_[w],
          tokens_of(w)};
}

double NextTokens::log_probability(int64_t w, int32_t token) const {
  const float* const logit = scores_of(w).find(token);
  return logit ? double{*logit - top_[w]} - log_sums_[w] : -std::numeric_limits<double>::infinity();
}

void NextTokens::begin(const Tensor& logits, Columns columns, int64_t most, const Adjust& adjust) {
  const auto rows = static_cast<size_t>(logits.rows());
  most_ = most;
  best_.resize(rows);
  top_.resize(rows);
  losses_.resize(rows);
  log_sums_.resize(rows);
  counts_.resize(rows);
  found_.resize(rows * static_cast<size_t>(most));
  logits_ = logits.data<float>();
  stride_ = logits.stride();
  width_ = logits.cols();
  columns_ = columns;

  // The loss of the best token is log sum exp(x - top): scoring a given text takes the same sum.
  const auto& backend = backend_of(logits);
  backend(kernels::RowArgmax{.x = logits, .index = best_.data()});
  if (!is_normalised_) {
    backend(kernels::SoftmaxLoss{.x = logits,
                                 .targets = best_.data(),
                                 .smoothing = 0,
                                 .weight = 0,
                                 .loss = losses_.data(),
                                 .nll = log_sums_.data()});
  }
  for (size_t w = 0; w < rows; ++w) {
    float* row = logits_of(static_cast<int64_t>(w));
    top_[w] = row[best_[w]];
    if (is_normalised_) log_sums_[w] = -double{top_[w]};
    if (!std::isfinite(log_sums_[w]) || !std::isfinite(top_[w])) {
      fail<NumericError>("search", "the model's scores are not finite numbers");
    }
    if (!adjust) continue;
    TokenScores scores = scores_of(static_cast<int64_t>(w));
    adjust(static_cast<int64_t>(w), scores);
  }
}

}  // namespace weft::decode
