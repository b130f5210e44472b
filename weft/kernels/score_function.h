#ifndef WEFT_KERNELS_SCORE_FUNCTION_H_
#define WEFT_KERNELS_SCORE_FUNCTION_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Functions that turn the scores s of the n keys of a query into attention probabilities.
enum class ScoreFunction {
  kSoftmax,
  kRelu,         // max(s, 0) / n (Wortsman et al. 2023, arXiv 2309.08586)
  kSquaredRelu,  // max(s, 0)^2 / n (Hua et al. 2022, arXiv 2202.10447)
  kSigmoid,      // 1 / (1 + n exp(-s)) (Ramapuram et al. 2024, arXiv 2409.04431)
  kSparsemax,    // max(s - t, 0), with t such that the sum is 1 (Martins and Astudillo 2016)
  kEntmax15,     // max(s / 2 - t, 0)^2, likewise (Peters et al. 2019, arXiv 1905.05702)
};

// p = function(s) in each row; keys with score -inf are masked. p may be s. Used by the composite
// twin of attention, so it is not optimised.
struct AttentionProbabilities {
  ScoreFunction function;
  View s, p;
  static constexpr std::string_view kName = "attention_probabilities";
  Cost cost() const { return {0, bytes_of({s, p})}; }
};

// d_s may be d_p.
struct AttentionProbabilitiesBackward {
  ScoreFunction function;
  View s, p, d_p, d_s;
  static constexpr std::string_view kName = "d_attention_probabilities";
  Cost cost() const { return {0, bytes_of({s, p, d_p, d_s})}; }
};

namespace ref {
void run(const AttentionProbabilities&), run(const AttentionProbabilitiesBackward&);
}
namespace cpu {
void run(const AttentionProbabilities&), run(const AttentionProbabilitiesBackward&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SCORE_FUNCTION_H_
