// Reference score functions: from the scores of a row's keys to weights, and back.
#ifndef WEFT_KERNELS_REF_SCORE_FUNCTION_H_
#define WEFT_KERNELS_REF_SCORE_FUNCTION_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "weft/kernels/attention.h"

namespace weft::kernels::ref {

// The threshold t at which sum max(s - t, 0)^power is 1: the largest scores that are above it are
// found from the sorted ones (Martins and Astudillo 2016; Peters et al. 2019). The power is 1 or 2.
template <class T>
T threshold(std::vector<T> s, int power) {
  std::ranges::sort(s, std::greater<>());
  T sum = 0, squares = 0, found = s.front();
  for (size_t k = 0; k < s.size() && std::isfinite(s[k]); ++k) {
    const T x = s[k] - s.front(), count = static_cast<T>(k + 1);
    sum += x;
    squares += x * x;
    const T mean = sum / count;
    const T spread = std::max(T{0}, (1 - (squares - sum * mean)) / count);
    const T t = power == 1 ? mean - 1 / count : mean - std::sqrt(spread);
    if (t > x) break;
    found = t + s.front();
  }
  return found;
}

template <class T>
int64_t seen_keys(std::span<const T> scores) {
  return std::ranges::count_if(scores, [](T s) { return s > -std::numeric_limits<T>::infinity(); });
}

// Scores become weights in place; a key that is not seen has the score -inf, and the weight 0.
// Returns what Attention::lse keeps.
template <class T>
T weigh(ScoreFunction function, std::span<T> s) {
  const auto seen = static_cast<T>(seen_keys<T>(s));
  if (seen == 0) {
    std::ranges::fill(s, T{0});
    return -std::numeric_limits<T>::infinity();
  }
  const auto become = [&](auto&& weight) { std::ranges::transform(s, s.begin(), weight); };
  switch (function) {
    case ScoreFunction::kSoftmax: {
      const T top = *std::ranges::max_element(s);
      T sum = 0;
      for (const T x : s) sum += std::exp(x - top);
      const T log_sum = top + std::log(sum);
      become([&](T x) { return std::exp(x - log_sum); });
      return log_sum;
    }
    case ScoreFunction::kRelu: become([&](T x) { return std::max(x, T{0}) / seen; }); break;
    case ScoreFunction::kSquaredRelu:
      become([&](T x) { return std::max(x, T{0}) * std::max(x, T{0}) / seen; });
      break;
    case ScoreFunction::kSigmoid: become([&](T x) { return 1 / (1 + seen * std::exp(-x)); }); break;
    case ScoreFunction::kSparsemax: {
      const T t = threshold(std::vector<T>(s.begin(), s.end()), 1);
      become([&](T x) { return std::max(x - t, T{0}); });
      return t;
    }
    case ScoreFunction::kEntmax15: {
      become([](T x) { return x / 2; });
      const T t = threshold(std::vector<T>(s.begin(), s.end()), 2);
      become([&](T x) { return std::max(x - t, T{0}) * std::max(x - t, T{0}); });
      return t;
    }
  }
  return 0;
}

// From weights and their gradients to those of the scores of `seen` keys, in place.
template <class T>
void d_weigh(ScoreFunction function, std::span<const T> weights, int64_t seen, std::span<T> d) {
  const T count = static_cast<T>(std::max<int64_t>(seen, 1));
  // What a common shift of the scores has no share in: the mean of d under these densities.
  const auto centre = [&](auto&& density) {
    T sum = 0, total = 0;
    for (size_t j = 0; j < d.size(); ++j) {
      sum += density(weights[j]) * d[j];
      total += density(weights[j]);
    }
    const T mean = total == 0 ? T{0} : sum / total;
    for (size_t j = 0; j < d.size(); ++j) d[j] = density(weights[j]) * (d[j] - mean);
  };
  const auto times = [&](auto&& slope) {
    for (size_t j = 0; j < d.size(); ++j) d[j] *= slope(weights[j]);
  };
  switch (function) {
    case ScoreFunction::kSoftmax: return centre([](T p) { return p; });
    case ScoreFunction::kRelu: return times([&](T p) { return p > 0 ? 1 / count : T{0}; });
    case ScoreFunction::kSquaredRelu: return times([&](T p) { return 2 * std::sqrt(p / count); });
    case ScoreFunction::kSigmoid: return times([](T p) { return p * (1 - p); });
    case ScoreFunction::kSparsemax: return centre([](T p) { return p > 0 ? T{1} : T{0}; });
    case ScoreFunction::kEntmax15: return centre([](T p) { return std::sqrt(p); });
  }
}

// Row by row, a key that is not seen having the score -inf. p may be s.
template <class T>
void score_weights(ScoreFunction function, Matrix<T> s, Matrix<T> p) {
  for (int64_t i = 0; i < s.rows; ++i) {
    if (p.row(i) != s.row(i)) std::copy_n(s.row(i), s.cols, p.row(i));
    weigh(function, std::span(p.row(i), static_cast<size_t>(s.cols)));
  }
}

// d_s may be d_p.
template <class T>
void d_score_weights(ScoreFunction function, Matrix<T> s, Matrix<T> p, Matrix<T> d_p,
                     Matrix<T> d_s) {
  const auto cols = static_cast<size_t>(s.cols);
  for (int64_t i = 0; i < s.rows; ++i) {
    if (d_s.row(i) != d_p.row(i)) std::copy_n(d_p.row(i), s.cols, d_s.row(i));
    d_weigh(function, std::span<const T>(p.row(i), cols),
            seen_keys(std::span<const T>(s.row(i), cols)), std::span(d_s.row(i), cols));
  }
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_SCORE_FUNCTION_H_
