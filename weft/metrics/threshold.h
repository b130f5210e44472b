// Labels whose score reaches a threshold, and the threshold that is best on a validation set.
#ifndef WEFT_METRICS_THRESHOLD_H_
#define WEFT_METRICS_THRESHOLD_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::metrics {

// Which labels an item gets from its scores: those of at least `value`, and with `at_least_one` the
// one of the highest score (the first of equals) whatever it is.
struct ThresholdRule {
  double value = 0.5;
  bool at_least_one = false;
};

// The labels of one item with scores [C], in ascending order.
std::vector<int32_t> labels_over(std::span<const float> scores, const ThresholdRule& rule);

// Scores [n, C] of n items, row by row, and the labels that each should get.
struct ScoredItems {
  std::span<const float> scores;
  int64_t labels = 0;                              // C
  std::span<const std::vector<int32_t>> expected;  // [n]
};

struct TunedThreshold {
  double value = 0.5;
  double micro_f1 = 0;  // of labels_over() with it
};

// The threshold of the highest micro F1, the highest of equals: halfway between two neighbouring
// scores, or one above or at the last of all. Throws FormatError where the numbers of scores and
// items do not fit together or a label is out of range, and NumericError for a score that is no
// finite number.
TunedThreshold tune_threshold(const ScoredItems& items, bool at_least_one = false);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_THRESHOLD_H_
