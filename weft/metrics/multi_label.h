// Scores of multi-label predictions.
#ifndef WEFT_METRICS_MULTI_LABEL_H_
#define WEFT_METRICS_MULTI_LABEL_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/label_report.h"

namespace weft::metrics {

// Accumulates counts over items. Label ids are 0 to `labels` - 1; the labels of an item are
// distinct and in any order.
class MultiLabelF1 {
 public:
  explicit MultiLabelF1(int32_t labels) : counts_(static_cast<size_t>(labels)) {}

  // Adds one item. Throws FormatError for a label that is out of range or repeated.
  void add(std::span<const int32_t> expected, std::span<const int32_t> predicted);

  // One row per label, including those that do not occur, as scikit-learn's report for indicator
  // matrices. Throws FormatError for a wrong number of names.
  LabelReport report(std::span<const std::string> names) const;
  // The fraction of items whose labels are all correct; 0 if there are no items.
  double subset_accuracy() const;

 private:
  std::vector<LabelCounts> counts_;
  int64_t items_ = 0, exact_ = 0;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_MULTI_LABEL_H_
