#include "weft/ops/attention_probabilities.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/score_function.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor attention_probabilities(const Tensor& scores, kernels::ScoreFunction function, Tape* tape) {
  Tensor p = Tensor::empty(scores.shape(), scores.dtype());  // [T, S]
  backend_of(scores)(kernels::AttentionProbabilities{.function = function, .s = scores, .p = p});
  record(tape, p, {&scores}, [scores, p, function](Backward& b) {
    const Tensor d_p = b.d_output();
    b.write(0, [&](const Tensor& d_scores) {
      backend_of(scores)(kernels::AttentionProbabilitiesBackward{
          .function = function, .s = scores, .p = p, .d_p = d_p, .d_s = d_scores});
    });
  });
  return p;
}

}  // namespace weft::ops
