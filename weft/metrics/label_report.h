// Precision, recall and F1 per label and their averages, equal to the classification_report of
// scikit-learn and of seqeval.
#ifndef WEFT_METRICS_LABEL_REPORT_H_
#define WEFT_METRICS_LABEL_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::metrics {

struct LabelCounts {
  int64_t correct = 0;    // true positives
  int64_t predicted = 0;  // true and false positives
  int64_t expected = 0;   // support: true positives and false negatives

  LabelCounts& operator+=(const LabelCounts& other);
};

// precision = correct / predicted, recall = correct / expected, f1 is their harmonic mean; 0 / 0
// counts as 0.
struct F1Score {
  double precision = 0, recall = 0, f1 = 0;
};
F1Score f1_of(const LabelCounts& counts);

struct LabelRow {
  std::string label;
  LabelCounts counts = {};
  F1Score score = {};  // set by make_label_report()
};

struct LabelReport {
  std::vector<LabelRow> rows;
  F1Score micro;     // of the summed counts
  F1Score macro;     // mean over rows
  F1Score weighted;  // mean over rows, weighted by support
  int64_t support = 0;
  std::optional<double> accuracy;  // of single-label items, where it equals micro F1

  // The table in scikit-learn's format. The last rows are the averages; accuracy, if set, replaces
  // the micro average.
  std::string text(int digits = 2) const;
};

// Computes the scores of the rows, in the order of the table, and their averages.
LabelReport make_label_report(std::vector<LabelRow> rows);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_LABEL_REPORT_H_
