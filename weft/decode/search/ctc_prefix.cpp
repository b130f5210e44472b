#include "weft/decode/search/ctc_prefix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::decode {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

}  // namespace

double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kImpossible ? a : a + std::log1p(std::exp(b - a));
}

CtcPrefixScorer::CtcPrefixScorer(const Tensor& log_probabilities, int32_t blank)
    : vocab_(log_probabilities.cols()), blank_(blank) {
  const auto values = log_probabilities.span<float>();
  logs_.assign(values.begin(), values.end());
  for (const float x : logs_) probabilities_.push_back(std::exp(x));
}

CtcPrefixScorer::Prefix CtcPrefixScorer::start() const {
  Prefix out;
  out.token.assign(static_cast<size_t>(rows()), kImpossible);
  double sum = 0;
  for (int64_t t = 0; t < rows(); ++t) out.blank.push_back(sum += log_probability(t, blank_));
  return out;
}

double CtcPrefixScorer::before(const Prefix& prefix, int64_t t, int32_t token) const {
  if (t == 0) return prefix.last < 0 ? 0 : kImpossible;
  const auto i = static_cast<size_t>(t - 1);
  // Between two equal tokens there is a blank.
  return token == prefix.last ? prefix.blank[i] : log_add(prefix.token[i], prefix.blank[i]);
}

std::vector<double> CtcPrefixScorer::scores(const Prefix& prefix) const {
  std::vector<double> any, same;  // log p of the rows before each, of another token and of the last
  for (int64_t t = 0; t < rows(); ++t) {
    any.push_back(before(prefix, t, -2));
    same.push_back(before(prefix, t, prefix.last));
  }
  std::vector<double> out(static_cast<size_t>(vocab_), kImpossible);
  if (prefix.score == kImpossible) return out;
  out[blank_] = log_add(prefix.token.back(), prefix.blank.back()) - prefix.score;
  const double most = *std::ranges::max_element(any);
  if (most == kImpossible) return out;  // no row is left for another token
  std::vector<double> sums(static_cast<size_t>(vocab_));
  for (int64_t t = 0; t < rows(); ++t) {
    const double share = std::exp(any[static_cast<size_t>(t)] - most);
    const float* row = probabilities_.data() + t * vocab_;
    for (int64_t c = 0; c < vocab_; ++c) sums[c] += share * row[c];
  }
  if (prefix.last >= 0) {
    double& sum = sums[prefix.last] = 0;
    for (int64_t t = 0; t < rows(); ++t) {
      sum += std::exp(same[static_cast<size_t>(t)] - most) *
             probabilities_[static_cast<size_t>(t * vocab_ + prefix.last)];
    }
  }
  for (int32_t c = 0; c < vocab_; ++c) {
    if (c != blank_) out[c] = std::log(sums[c]) + most - prefix.score;
  }
  return out;
}

CtcPrefixScorer::Prefix CtcPrefixScorer::extend(const Prefix& prefix, int32_t token) const {
  Prefix out{.last = token, .token = {}, .blank = {}, .score = kImpossible};
  double in_token = kImpossible, in_blank = kImpossible;
  for (int64_t t = 0; t < rows(); ++t) {
    const double begins = before(prefix, t, token) + log_probability(t, token);
    out.score = log_add(out.score, begins);
    const double blank = log_add(in_token, in_blank) + log_probability(t, blank_);
    in_token = log_add(in_token + log_probability(t, token), begins);
    in_blank = blank;
    out.token.push_back(in_token);
    out.blank.push_back(in_blank);
  }
  return out;
}

}  // namespace weft::decode
