#include "weft/ops/score_weights.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/score_function.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor score_weights(const Tensor& scores, kernels::ScoreFunction function, Tape* tape) {
  Tensor weights = Tensor::empty(scores.shape(), scores.dtype());  // [T, S]
  backend_of(scores)(
      kernels::AttentionProbabilities{.function = function, .s = scores, .p = weights});
  record(tape, weights, {&scores}, [scores, weights, function](Backward& b) {
    const Tensor d_weights = b.d_output();
    b.write(0, [&](const Tensor& d_scores) {
      backend_of(scores)(kernels::AttentionProbabilitiesBackward{
          .function = function, .s = scores, .p = weights, .d_p = d_weights, .d_s = d_scores});
    });
  });
  return weights;
}

}  // namespace weft::ops
