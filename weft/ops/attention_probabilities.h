// Attention probabilities from scores.
#ifndef WEFT_OPS_ATTENTION_PROBABILITIES_H_
#define WEFT_OPS_ATTENTION_PROBABILITIES_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/score_function.h"

namespace weft::ops {

using autograd::Tape;

// function(scores) in each row of scores [T, S]; a key that is masked has the score -infinity.
Tensor attention_probabilities(const Tensor& scores, kernels::ScoreFunction function, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ATTENTION_PROBABILITIES_H_
