// Integrated gradients (Sundararajan, Taly and Yan 2017, arXiv 1703.01365): how much each input row
// contributes to a score F, between a baseline x0 and the input x:
//   a_n = sum_d (x - x0)[n, d] * integral_0^1 dF/dx[n, d] (x0 + t (x - x0)) dt
// The contributions sum to F(x) - F(x0).
#ifndef WEFT_INSPECT_INTEGRATED_GRADIENTS_H_
#define WEFT_INSPECT_INTEGRATED_GRADIENTS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "weft/nn/context.h"

namespace weft::inspect {

// A score as a function of several copies of an example's input.
struct BatchedScore {
  // Of `copies` examples, one below the other, x [copies * N, D]: F32 [R, C] that hold their
  // scores.
  std::function<Tensor(const Tensor& x, int64_t copies, const nn::Context& context)> forward;
  // Which element of those is the score of a copy.
  std::function<int64_t(int64_t copy)> element;
};

struct Contributions {
  std::vector<double> rows;   // [N]
  double score = 0;           // F(x)
  double baseline_score = 0;  // F(x0)
  // Whether the rows sum to F(x) - F(x0); not where F jumps, as its gradients do not tell.
  bool is_complete = false;

  double sum() const;
};

// By Simpson's rule in u with t = u^4: a norm with a small epsilon makes F steep near the baseline.
// An interval whose integral differs from the difference of the scores at its ends is halved, until
// these errors sum to at most 0.5 % of F(x) - F(x0) or 0.01 % of the variation of F along the path,
// or there are about 1,024 points. x and baseline are F32 [N, D]. Parameters of the score's model
// should be frozen (nn::Parameter::freeze()).
Contributions integrated_gradients(const Tensor& x, const Tensor& baseline,
                                   const BatchedScore& score);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_INTEGRATED_GRADIENTS_H_
