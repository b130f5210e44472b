// Scores and score functions of reference attention, with gradients.
#ifndef WEFT_KERNELS_REF_SCORE_FUNCTION_H_
#define WEFT_KERNELS_REF_SCORE_FUNCTION_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "weft/kernels/attention.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

// The threshold t with sum max(s - t, 0)^power = 1, computed from sorted scores (Martins and
// Astudillo 2016; Peters et al. 2019). The power is 1 or 2.
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
int64_t attended_keys(std::span<const T> scores) {
  return std::ranges::count_if(scores, [](T s) { return s > -std::numeric_limits<T>::infinity(); });
}

// Replaces scores by probabilities. Masked keys have score -inf and probability 0. Returns the
// value for Attention::lse.
template <class T>
T to_probabilities(ScoreFunction function, std::span<T> s) {
  const auto count = static_cast<T>(attended_keys<T>(s));
  if (count == 0) {
    std::ranges::fill(s, T{0});
    return -std::numeric_limits<T>::infinity();
  }
  const auto become = [&](auto&& function_of) {
    std::ranges::transform(s, s.begin(), function_of);
  };
  switch (function) {
    case ScoreFunction::kSoftmax: {
      const T top = *std::ranges::max_element(s);
      T sum = 0;
      for (const T x : s) sum += std::exp(x - top);
      const T log_sum = top + std::log(sum);
      become([&](T x) { return std::exp(x - log_sum); });
      return log_sum;
    }
    case ScoreFunction::kRelu: become([&](T x) { return std::max(x, T{0}) / count; }); break;
    case ScoreFunction::kSquaredRelu:
      become([&](T x) { return std::max(x, T{0}) * std::max(x, T{0}) / count; });
      break;
    case ScoreFunction::kSigmoid:
      become([&](T x) { return 1 / (1 + count * std::exp(-x)); });
      break;
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

// Replaces the gradients of the probabilities by those of the scores. `attended` is the number of
// keys that are not masked.
template <class T>
void d_to_probabilities(ScoreFunction function, std::span<const T> probabilities, int64_t attended,
                        std::span<T> d) {
  const T count = static_cast<T>(std::max<int64_t>(attended, 1));
  // The mean of d under these densities, which makes the gradient invariant to a common shift of
  // the scores.
  const auto centre = [&](auto&& density) {
    T sum = 0, total = 0;
    for (size_t j = 0; j < d.size(); ++j) {
      sum += density(probabilities[j]) * d[j];
      total += density(probabilities[j]);
    }
    const T mean = total == 0 ? T{0} : sum / total;
    for (size_t j = 0; j < d.size(); ++j) d[j] = density(probabilities[j]) * (d[j] - mean);
  };
  const auto times = [&](auto&& slope) {
    for (size_t j = 0; j < d.size(); ++j) d[j] *= slope(probabilities[j]);
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

// The bias of a head at distance key - query.
template <class T>
T score_bias(const ScoreBias& bias, int64_t head, int64_t distance) {
  T sum = 0;
  if (!bias.slopes.empty()) sum -= static_cast<T>(bias.slopes[head]) * std::abs(distance);
  if (bias.table) {
    const int64_t max_distance = bias.table.rows / 2;
    sum += bias.table.as<T>().row(std::clamp(distance, -max_distance, max_distance) +
                                  max_distance)[head];
  }
  return sum;
}

// cap * tanh(score / cap); the score where the cap is 0.
template <class T>
T soft_capped(T score, double cap) {
  return cap == 0 ? score : static_cast<T>(cap) * std::tanh(score / static_cast<T>(cap));
}

// One query row of one head, the keys of its sequence and its key head.
struct AttentionRow {
  int64_t query, position, head, key_head, key_begin, key_count;
};

// Calls body(row) for every query and head.
template <class Body>
void for_each_row(const Attention& a, Body&& body) {
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    const int64_t begin = a.q_offsets[b], keys = a.k_offsets[b + 1] - a.k_offsets[b];
    for (int64_t i = begin; i < a.q_offsets[b + 1]; ++i) {
      const int64_t position = a.q_position ? a.q_position[i] : i - begin;
      for (int64_t h = 0; h < a.heads; ++h) {
        body(AttentionRow{i, position, h, a.key_head_of(h), a.k_offsets[b], keys});
      }
    }
  }
}

// The score of key j of a row's sequence, without bias and mask.
template <class T>
T capped_score(const Attention& a, const AttentionRow& r, int64_t j) {
  const auto q = a.q.as<T>(), k = a.k.as<T>();
  const int64_t size = q.cols / a.heads;
  const T product =
      dot(q.row(r.query) + r.head * size, k.row(r.key_begin + j) + r.key_head * size, size);
  return soft_capped(static_cast<T>(a.scale) * product, a.soft_cap);
}

// The scores of a row; -inf for masked keys.
template <class T>
std::vector<T> scores(const Attention& a, const AttentionRow& r) {
  std::vector<T> s(r.key_count, -std::numeric_limits<T>::infinity());
  for (int64_t j = 0; j < r.key_count; ++j) {
    const int64_t position = a.k_position ? a.k_position[r.key_begin + j] : j;
    if ((a.causal && position > r.position) || !a.pattern.allows(r.position, position)) continue;
    s[j] = capped_score<T>(a, r, j) + score_bias<T>(a.bias, r.head, position - r.position);
  }
  return s;
}

// Replaces the scaled dot products of row w, from key `first` on, by probabilities, with cap,
// pattern and bias applied.
template <class T>
void finish_cached(const CachedAttention& a, int64_t w, int64_t head, std::span<T> s,
                   int64_t first = 0) {
  const int64_t query = a.position_of(w);
  for (int64_t t = 0; t < std::ssize(s); ++t) {
    const int64_t key = first + t;
    s[t] = a.pattern.allows(query, key)
               ? soft_capped(s[t], a.soft_cap) + score_bias<T>(a.bias, head, key - query)
               : -std::numeric_limits<T>::infinity();
  }
  to_probabilities(a.function, s);
}

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_SCORE_FUNCTION_H_
