#include "weft/decode/search/next_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/parallel.h"
#include "weft/core/profile.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/reduce.h"

namespace weft::decode {

void fail_not_finite() {
  fail<NumericError>("search", "the model's scores are not finite numbers");
}

TokenScores NextTokens::scores_of(int64_t w) const {
  return {std::span(logits_of(w), static_cast<size_t>(rows_[w].width)),
          double{top_[w]} + log_sums_[w], rows_[w].tokens};
}

double NextTokens::log_probability(int64_t w, int32_t token) const {
  const float* const logit = scores_of(w).find(token);
  return logit ? double{*logit - top_[w]} - log_sums_[w] : -std::numeric_limits<double>::infinity();
}

ScoredToken NextTokens::scored(int64_t w, const ScoredColumn& found) const {
  const std::span<const int32_t> tokens = rows_[w].tokens;
  return {double{found.logit - top_[w]} - log_sums_[w],
          tokens.empty() ? found.column : tokens[found.column]};
}

std::vector<ScoredToken> NextTokens::most_probable(int64_t w, int64_t count) const {
  const std::span<const float> logits = scores_of(w).logits;
  std::vector<ScoredColumn> columns(static_cast<size_t>(std::min(count, std::ssize(logits))));
  columns.resize(static_cast<size_t>(top_k(logits, columns)));
  std::vector<ScoredToken> out;
  out.reserve(columns.size());
  for (const ScoredColumn& found : columns) out.push_back(scored(w, found));
  return out;
}

// The loss of the best token is log sum exp(x - top); scoring a given text takes the same sum.
void NextTokens::normalise(const Tensor& part, int64_t first_row) {
  const auto& backend = backend_of(part);
  int32_t* const best = best_.data() + first_row;
  backend(kernels::RowArgmax{.x = part, .index = best});
  if (is_normalised_) return;
  backend(kernels::SoftmaxLoss{.x = part,
                               .targets = best,
                               .smoothing = 0,
                               .weight = 0,
                               .loss = losses_.data() + first_row,
                               .nll = log_sums_.data() + first_row});
}

// Rows of one width go together: a row's sum has the same bits whatever the other rows' widths.
void NextTokens::normalise(const Tensor& logits) {
  const auto count = logits.rows();
  best_.resize(static_cast<size_t>(count));
  top_.resize(best_.size());
  losses_.resize(best_.size());
  log_sums_.resize(best_.size());
  is_finite_.resize(best_.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    const int64_t width = rows_[begin].width;
    while (end < count && rows_[end].width == width) ++end;
    const bool is_whole = end - begin == count && width == logits.cols();
    normalise(is_whole ? logits : logits.row_range(begin, end).col_range(0, width), begin);
  }
  for (int64_t w = 0; w < count; ++w) {
    top_[w] = logits_of(w)[best_[w]];
    if (is_normalised_) log_sums_[w] = -double{top_[w]};
    is_finite_[w] = std::isfinite(log_sums_[w]) && std::isfinite(top_[w]) ? 1 : 0;
  }
}

void NextTokens::select(int64_t w, std::vector<ScoredColumn>& columns, RowSampler& sampler) {
  const RowSelection& row = rows_[w];
  const std::span<const float> logits(logits_of(w), static_cast<size_t>(row.width));
  columns.resize(static_cast<size_t>(row.sampling ? row.count : std::min(row.count, row.width)));
  counts_[w] = row.sampling ? sampler.draw(logits, *row.sampling, row.stream, columns)
                            : top_k(logits, columns);
  for (int64_t i = 0; i < counts_[w]; ++i) {
    found_[first_[w] + i] = scored(w, columns[static_cast<size_t>(i)]);
  }
}

void NextTokens::find(const Tensor& logits, std::span<const RowSelection> rows,
                      const Adjust& adjust) {
  rows_.assign(rows.begin(), rows.end());
  logits_ = logits.data<float>();
  stride_ = logits.stride();
  normalise(logits);
  const auto count = logits.rows();
  first_.resize(rows_.size());
  counts_.assign(rows_.size(), 0);
  int64_t total = 0, most = 0;
  bool any_sampled = false;
  for (int64_t w = 0; w < count; ++w) {
    first_[w] = total;
    total += rows_[w].sampling ? rows_[w].count : std::min(rows_[w].count, rows_[w].width);
    most = std::max(most, rows_[w].width);
    any_sampled |= rows_[w].sampling != nullptr;
    if (!adjust || !is_finite(w)) continue;
    TokenScores scores = scores_of(w);
    adjust(w, scores);
  }
  found_.resize(static_cast<size_t>(total));
  const profile::Span span("top_k");
  const int64_t grain = any_sampled ? 1 : 1 + 65536 / std::max<int64_t>(most, 1);
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    std::vector<ScoredColumn> columns;
    RowSampler sampler;
    for (int64_t w = begin; w < end; ++w) {
      if (is_finite(w) && rows_[w].count > 0) select(w, columns, sampler);
    }
  });
}

void NextTokens::find(const Tensor& logits, int64_t count, const Adjust& adjust) {
  const std::vector<RowSelection> rows(static_cast<size_t>(logits.rows()),
                                       {.count = count, .width = logits.cols()});
  find(logits, rows, adjust);
  for (int64_t w = 0; w < logits.rows(); ++w) {
    if (!is_finite(w)) fail_not_finite();
  }
}

}  // namespace weft::decode
