// Attention weights from scores.
#ifndef WEFT_OPS_SCORE_WEIGHTS_H_
#define WEFT_OPS_SCORE_WEIGHTS_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/score_function.h"

namespace weft::ops {

using autograd::Tape;

// Each row of scores [T, S] becomes weights; a key that is not seen has the score -infinity.
Tensor score_weights(const Tensor& scores, kernels::ScoreFunction function, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_SCORE_WEIGHTS_H_
