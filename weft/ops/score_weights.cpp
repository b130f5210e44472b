#include "weft/ops/score_weights.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor score_weights(const Tensor& scores, kernels::ScoreFunction function, Tape* tape) {
  Tensor weights = Tensor::empty(scores.shape(), scores.dtype());  // [T, S]
  backend_of(scores).score_weights(function, scores, weights);
  record(tape, weights, {&scores}, [scores, weights, function](Backward& b) {
    const Tensor d_weights = b.d_output();
    b.write(0, [&](const Tensor& d_scores) {
      backend_of(scores).d_score_weights(function, scores, weights, d_weights, d_scores);
    });
  });
  return weights;
}

}  // namespace weft::ops
