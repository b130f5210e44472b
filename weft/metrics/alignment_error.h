// Alignment error rate of word alignments.
#ifndef WEFT_METRICS_ALIGNMENT_ERROR_H_
#define WEFT_METRICS_ALIGNMENT_ERROR_H_

#include <span>
#include <string>
#include <string_view>

#include "weft/metrics/statistics.h"

namespace weft::metrics {

struct AlignmentScore {
  double precision = 0;  // fraction of links that are possible
  double recall = 0;     // fraction of sure links that are found
  double error_rate = 0;
};

// Lines of links and their name in errors.
struct NamedLinks {
  std::string_view name;
  std::span<const std::string> lines;
};

// With the links A of the hypotheses, the sure links S of the references and their possible links
// P, which include S (Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment
// Models"):
//   precision = |A & P| / |A|,  recall = |A & S| / |S|,
//   error rate = 1 - (|A & S| + |A & P|) / (|A| + |S|);
// 0 / 0 counts as 1. Lines are in Pharaoh format. Throws FormatError, naming the line as
// `name:line`, for invalid lines, and if there are no lines or the numbers of lines differ.
AlignmentScore alignment_error(const NamedLinks& hypotheses, const NamedLinks& references);
// Of each line |A|, |S|, |A & S| and |A & P|; the score is the error rate. Throws the same.
Statistics alignment_statistics(const NamedLinks& hypotheses, const NamedLinks& references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_ALIGNMENT_ERROR_H_
