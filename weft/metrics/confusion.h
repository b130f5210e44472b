// Which label was given in place of which: items that have one label each.
#ifndef WEFT_METRICS_CONFUSION_H_
#define WEFT_METRICS_CONFUSION_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// `count` items of label `expected` got `predicted`.
struct Confusion {
  int32_t expected = 0, predicted = 0;
  int64_t count = 0;
};

// Counts of pairs of labels 0 to `labels` - 1. Memory grows with the pairs that occur.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int32_t labels) : labels_(labels) {}

  // Throws FormatError for a label out of range.
  void add(int32_t expected, int32_t predicted);
  // The labels of the same items. Throws FormatError for different numbers, too.
  void add(std::span<const int32_t> expected, std::span<const int32_t> predicted);

  int32_t labels() const { return labels_; }
  int64_t total() const { return total_; }
  int64_t count(int32_t expected, int32_t predicted) const;
  double accuracy() const;  // 0 where there is no item

  // Rows for the labels that were expected or predicted at all, in the order of their ids, as
  // scikit-learn's classification_report. Throws FormatError for another number of names.
  LabelReport report(std::span<const std::string> names) const;
  // Pairs of different labels, the most frequent first, equals by their ids; at most `most`.
  std::vector<Confusion> most_frequent(size_t most) const;
  // A table of tab-separated columns: a row for each label expected, a column for each predicted,
  // the names before and above.
  std::string tsv(std::span<const std::string> names) const;

 private:
  void check_names(std::span<const std::string> names) const;

  int32_t labels_;
  int64_t total_ = 0;
  std::map<std::pair<int32_t, int32_t>, int64_t> counts_;  // by expected, predicted
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_CONFUSION_H_
