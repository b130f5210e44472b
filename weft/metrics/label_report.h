// Precision, recall and F1 of labels, and their averages, equal to those of scikit-learn's
// classification_report and of seqeval's.
#ifndef WEFT_METRICS_LABEL_REPORT_H_
#define WEFT_METRICS_LABEL_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::metrics {

struct LabelCounts {
  int64_t correct = 0;    // given and expected
  int64_t predicted = 0;  // given
  int64_t expected = 0;   // in the references, also called support

  LabelCounts& operator+=(const LabelCounts& other);
};

// precision = correct / predicted, recall = correct / expected, and f1 their harmonic mean; a share
// of nothing is 0.
struct F1Score {
  double precision = 0, recall = 0, f1 = 0;
};
F1Score f1_of(const LabelCounts& counts);

struct LabelRow {
  std::string label;
  LabelCounts counts = {};
  F1Score score = {};  // of the counts; make_label_report() fills it in
};

struct LabelReport {
  std::vector<LabelRow> rows;
  F1Score micro;     // of the sums of all rows' counts
  F1Score macro;     // mean over rows
  F1Score weighted;  // mean over rows, each times what is expected of it
  int64_t support = 0;
  std::optional<double> accuracy;  // where every item has one label: what micro F1 is then, too

  // The table as scikit-learn prints it, its last rows the averages: accuracy in place of the micro
  // average where there is one.
  std::string text(int digits = 2) const;
};

// Rows with their counts, in the order in which the table shows them.
LabelReport make_label_report(std::vector<LabelRow> rows);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_LABEL_REPORT_H_
