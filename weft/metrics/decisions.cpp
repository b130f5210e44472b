#include "weft/metrics/decisions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace weft::metrics {
namespace {

// -log p, finite where p has become 0.
double surprise(double probability) {
  return -std::log(std::max<double>(probability, std::numeric_limits<float>::min()));
}

std::span<const float> scores_of(const ScoredItems& items, size_t number) {
  return items.scores.subspan(number * static_cast<size_t>(items.labels),
                              static_cast<size_t>(items.labels));
}

}  // namespace

double Decisions::cross_entropy() const {
  if (losses.empty()) return 0;
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

Decisions Decisions::sample(std::span<const int32_t> numbers) const {
  Decisions out{.per_item = per_item, .losses = {}, .confidences = {}};
  for (const int32_t number : numbers) {
    const int64_t begin = number * per_item, end = begin + per_item;
    out.losses.insert(out.losses.end(), losses.begin() + begin, losses.begin() + end);
    out.confidences.insert(out.confidences.end(), confidences.begin() + begin,
                           confidences.begin() + end);
  }
  return out;
}

Decisions label_decisions(const ScoredItems& items) {
  Decisions out;
  for (size_t i = 0; i < items.expected.size(); ++i) {
    const std::span<const float> p = scores_of(items, i);
    const int32_t right = items.expected[i].front();
    const auto given = std::ranges::max_element(p) - p.begin();
    out.losses.push_back(surprise(p[right]));
    out.confidences.push_back({p[given], given == right});
  }
  return out;
}

Decisions multi_label_decisions(const ScoredItems& items) {
  Decisions out{.per_item = items.labels, .losses = {}, .confidences = {}};
  for (size_t i = 0; i < items.expected.size(); ++i) {
    const std::span<const float> p = scores_of(items, i);
    for (int32_t label = 0; label < items.labels; ++label) {
      const bool has_label = std::ranges::binary_search(items.expected[i], label);
      out.losses.push_back(surprise(has_label ? p[label] : 1 - p[label]));
      out.confidences.push_back({p[label], has_label});
    }
  }
  return out;
}

}  // namespace weft::metrics
