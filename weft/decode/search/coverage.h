// How much of a source a translation has attended to (Wu et al. 2016, arXiv 1609.08144, section 7).
#ifndef WEFT_DECODE_SEARCH_COVERAGE_H_
#define WEFT_DECODE_SEARCH_COVERAGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/core/segments.h"

namespace weft::decode {

// What each of the W rows of a step attends to: the weights of its request's source tokens, which
// sum to 1.
struct SourceWeights {
  std::vector<float> weights;
  Segments segments;  // W

  std::span<const float> of(int64_t w) const { return segments.span(weights, w); }
};

// For each source token the sum of the weights on it, over the target tokens so far, the end symbol
// included; empty before the first.
using Coverage = std::vector<double>;

// `so_far` and the weights of one more target token.
Coverage covered(const Coverage& so_far, std::span<const float> weights);

// beta * sum over source tokens of log(min(coverage, 1)) (equation 14): added to a score, at most 0
// and never falling as a translation grows. A coverage below 1e-10 counts as 1e-10.
double coverage_penalty(double beta, const Coverage& coverage);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_COVERAGE_H_
