// Scores of items that have any number of labels.
#ifndef WEFT_METRICS_MULTI_LABEL_H_
#define WEFT_METRICS_MULTI_LABEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// Counts over items; ids are 0 to `labels` - 1, each at most once in an item, in any order.
class MultiLabelF1 {
 public:
  explicit MultiLabelF1(int32_t labels) : counts_(static_cast<size_t>(labels)) {}

  // The labels of one item. Throws FormatError for one that is out of range or stands twice.
  void add(std::span<const int32_t> expected, std::span<const int32_t> predicted);

  // A row for each label, also those that do not occur, as scikit-learn does with indicator
  // matrices. Throws FormatError for another number of names.
  LabelReport report(std::span<const std::string> names) const;
  // The share of items that got exactly the labels that were expected; 0 where there is no item.
  double subset_accuracy() const;

 private:
  std::vector<LabelCounts> counts_;
  int64_t items_ = 0, exact_ = 0;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_MULTI_LABEL_H_
