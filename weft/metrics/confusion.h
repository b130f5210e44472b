// The confusion matrix of single-label predictions.
#ifndef WEFT_METRICS_CONFUSION_H_
#define WEFT_METRICS_CONFUSION_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// `count` items with label `expected` were predicted as `predicted`.
struct Confusion {
  int32_t expected = 0, predicted = 0;
  int64_t count = 0;
};

// Counts of label pairs; ids are 0 to `labels` - 1. Sparse: memory grows with the pairs that occur.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int32_t labels) : labels_(labels) {}

  // Throws FormatError for a label out of range.
  void add(int32_t expected, int32_t predicted);
  // Adds items. Throws FormatError also if the sizes differ.
  void add(std::span<const int32_t> expected, std::span<const int32_t> predicted);

  int32_t labels() const { return labels_; }
  int64_t total() const { return total_; }
  int64_t count(int32_t expected, int32_t predicted) const;
  double accuracy() const;  // 0 if there are no items

  // One row per label that was expected or predicted, in id order, as in scikit-learn's
  // classification_report. Throws FormatError for a wrong number of names.
  LabelReport report(std::span<const std::string> names) const;
  // At most `limit` pairs of different labels, most frequent first, ties in id order.
  std::vector<Confusion> most_frequent(size_t limit) const;
  // A table of tab-separated values with headers: one row per expected label, one column per
  // predicted label.
  std::string tsv(std::span<const std::string> names) const;

 private:
  void check_names(std::span<const std::string> names) const;

  int32_t labels_;
  int64_t total_ = 0;
  std::map<std::pair<int32_t, int32_t>, int64_t> counts_;  // keys: expected, predicted
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_CONFUSION_H_
