// ROUGE of summaries (Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries"), equal to
// that of Google's rouge_score without stemming.
#ifndef WEFT_METRICS_TEXT_ROUGE_H_
#define WEFT_METRICS_TEXT_ROUGE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/metrics/statistics.h"

namespace weft::metrics {

enum class RougeKind {
  k1,  // words
  k2,  // pairs of words
  kL,  // the longest common subsequence of words
};

struct RougeScore {
  double precision = 0, recall = 0, f1 = 0;
};

// Of one line. Words are runs of a to z and 0 to 9 in lower case; other characters separate them.
RougeScore rouge(RougeKind kind, const std::string& hypothesis, const std::string& reference);

// Of each line precision, recall, F1 and 1, against the reference with the highest F1; the score is
// the mean F1. references[r][line]. Throws FormatError if there are no lines or no references, or
// if the numbers of lines differ.
Statistics rouge_statistics(RougeKind kind, std::span<const std::string> hypotheses,
                            std::span<const std::vector<std::string>> references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_ROUGE_H_
