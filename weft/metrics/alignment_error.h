// How far word alignments are from their references.
#ifndef WEFT_METRICS_ALIGNMENT_ERROR_H_
#define WEFT_METRICS_ALIGNMENT_ERROR_H_

#include <span>
#include <string>
#include <string_view>

namespace weft::metrics {

struct AlignmentScore {
  double precision = 0;  // share of links that are possible
  double recall = 0;     // share of sure links that are found
  double error_rate = 0;
};

// Lines of links, and the name that errors call them by.
struct NamedLinks {
  std::string_view name;
  std::span<const std::string> lines;
};

// With the links A of all hypotheses, the sure links S of the references and the possible ones P,
// which hold the sure ones (Och and Ney 2003, "A Systematic Comparison of Various Statistical
// Alignment Models"):
//   precision = |A & P| / |A|,  recall = |A & S| / |S|,
//   error rate = 1 - (|A & S| + |A & P|) / (|A| + |S|);
// a share of nothing is 1. Lines are in Pharaoh's form; throws FormatError, naming the line as
// `name:line`, for others, and where there is no line or another number of references.
AlignmentScore alignment_error(const NamedLinks& hypotheses, const NamedLinks& references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_ALIGNMENT_ERROR_H_
