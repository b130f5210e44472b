#include "weft/ops/layer_norm.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/norm.h"
#include "weft/ops/norm_backward.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor layer_norm(const Tensor& x, const NormWeights& w, Tape* tape) {
  check_shape("layer_norm", "gamma", w.gamma, 1, x.cols());
  check_shape("layer_norm", "beta", w.beta, 1, x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());                    // [N, D]
  Tensor stats = Tensor::empty({x.rows(), 2}, sum_type(x.dtype()));  // [N, 2]
  backend_of(x)(kernels::LayerNorm{
      .x = x, .gamma = w.gamma, .beta = w.beta, .epsilon = w.epsilon, .y = y, .stats = stats});
  record(tape, y, {&x, &w.gamma, &w.beta}, [x, gamma = w.gamma, stats](Backward& b) {
    const Tensor d_y = b.d_output();
    b.add(0, norm_backward(b, {x, gamma, stats, d_y}));
  });
  return y;
}

}  // namespace weft::ops
