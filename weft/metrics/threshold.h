// Multi-label decisions by a threshold, and the best threshold on a validation set.
#ifndef WEFT_METRICS_THRESHOLD_H_
#define WEFT_METRICS_THRESHOLD_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::metrics {

// An item gets the labels with scores of at least `value`; with `at_least_one` also the label with
// the highest score, the first on ties.
struct ThresholdParams {
  double value = 0.5;
  bool at_least_one = false;
};

// The labels of one item with scores [C], ascending.
std::vector<int32_t> labels_above(std::span<const float> scores, const ThresholdParams& params);

// Scores [n, C] of n items, row-major, and their reference labels.
struct ScoredItems {
  std::span<const float> scores;
  int64_t labels = 0;                              // C
  std::span<const std::vector<int32_t>> expected;  // [n]
};

struct TunedThreshold {
  double value = 0.5;
  double micro_f1 = 0;  // with this threshold
};

// The threshold with the highest micro F1, the highest threshold on ties: the midpoint of two
// consecutive scores, the highest score + 1, or the lowest score. Throws FormatError if the numbers
// of scores and items do not match or a label is out of range, and NumericError for a score that is
// not finite.
TunedThreshold tune_threshold(const ScoredItems& items, bool at_least_one = false);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_THRESHOLD_H_
