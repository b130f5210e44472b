#include "weft/metrics/threshold.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"
#include "weft/metrics/label_report.h"

namespace weft::metrics {
namespace {

struct Entry {
  float score;
  bool is_expected;
};

int64_t first_highest(std::span<const float> scores) {
  return std::ranges::max_element(scores) - scores.begin();
}

void check(const ScoredItems& items) {
  const auto count = static_cast<size_t>(items.labels) * items.expected.size();
  if (items.labels < 1 || items.scores.size() != count) {
    fail<FormatError>("threshold", "{} scores; expected {} for each of {} items",
                      items.scores.size(), items.labels, items.expected.size());
  }
  for (const float score : items.scores) {
    if (!std::isfinite(score)) fail<NumericError>("threshold", "a score is {}", score);
  }
  for (const std::vector<int32_t>& labels : items.expected) {
    for (const int32_t label : labels) {
      if (label >= 0 && label < items.labels) continue;
      fail<FormatError>("threshold", "label {}; expected 0 to {}", label, items.labels - 1);
    }
  }
}

// The scores that the threshold applies to, highest first. Labels predicted regardless of the
// threshold are added to `counts`.
std::vector<Entry> entries_of(const ScoredItems& items, bool at_least_one, LabelCounts& counts) {
  std::vector<Entry> out;
  out.reserve(items.scores.size());
  for (size_t i = 0; i < items.expected.size(); ++i) {
    const auto scores = items.scores.subspan(i * items.labels, items.labels);
    const int64_t always = at_least_one ? first_highest(scores) : -1;
    std::vector<bool> is_expected(static_cast<size_t>(items.labels), false);
    for (const int32_t label : items.expected[i]) is_expected[label] = true;
    for (int64_t label = 0; label < items.labels; ++label) {
      const bool expected = is_expected[label];
      counts.expected += expected ? 1 : 0;
      if (label == always) {
        counts.predicted += 1;
        counts.correct += expected ? 1 : 0;
      } else {
        out.push_back({scores[label], expected});
      }
    }
  }
  std::ranges::sort(out, std::ranges::greater(), &Entry::score);
  return out;
}

}  // namespace

std::vector<int32_t> labels_above(std::span<const float> scores, const ThresholdParams& params) {
  std::vector<int32_t> out;
  const int64_t always = params.at_least_one && !scores.empty() ? first_highest(scores) : -1;
  for (int64_t label = 0; label < std::ssize(scores); ++label) {
    if (scores[label] >= params.value || label == always)
      out.push_back(static_cast<int32_t>(label));
  }
  return out;
}

TunedThreshold tune_threshold(const ScoredItems& items, bool at_least_one) {
  check(items);
  LabelCounts counts;
  const std::vector<Entry> entries = entries_of(items, at_least_one, counts);
  if (entries.empty()) return {.value = 0.5, .micro_f1 = f1_of(counts).f1};
  TunedThreshold best{entries.front().score + 1.0, f1_of(counts).f1};
  for (size_t i = 0; i < entries.size();) {
    const float score = entries[i].score;
    for (; i < entries.size() && entries[i].score == score; ++i) {
      counts.predicted += 1;
      counts.correct += entries[i].is_expected ? 1 : 0;
    }
    // Equal fractions of integers have equal double quotients, so ties are detected exactly.
    const double f1 = f1_of(counts).f1;
    if (f1 <= best.micro_f1) continue;
    const double next = i < entries.size() ? entries[i].score : score;
    best = {(score + next) / 2, f1};
  }
  return best;
}

}  // namespace weft::metrics
