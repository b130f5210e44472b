#include "weft/ops/rms_norm.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/norm.h"
#include "weft/ops/norm_backward.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor rms_norm(const Tensor& x, const RmsWeights& w, Tape* tape) {
  check_shape("rms_norm", "gamma", w.gamma, 1, x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());                    // [N, D]
  Tensor stats = Tensor::empty({x.rows(), 1}, sum_type(x.dtype()));  // [N, 1]
  backend_of(x)(
      kernels::RmsNorm{.x = x, .gamma = w.gamma, .epsilon = w.epsilon, .y = y, .stats = stats});
  record(tape, y, {&x, &w.gamma}, [x, gamma = w.gamma, stats](Backward& b) {
    const Tensor d_y = b.d_output();
    b.add(0, rms_norm_backward(b, {x, gamma, stats, d_y}));
  });
  return y;
}

}  // namespace weft::ops
