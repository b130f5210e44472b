#include "weft/ops/batch_norm.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/norm.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor column_moments(const Tensor& x) {
  if (x.rows() == 0) fail<ShapeError>("batch_norm", "no rows to take mean and variance of");
  Tensor stats = Tensor::empty({2, x.cols()}, sum_type(x.dtype()));  // [2, D]
  backend_of(x)(kernels::ColumnMoments{.x = x, .stats = stats});
  return stats;
}

Tensor batch_norm(const Tensor& x, const NormWeights& w, const BatchMoments& moments, Tape* tape) {
  check_shape("batch_norm", "gamma", w.gamma, 1, x.cols());
  check_shape("batch_norm", "beta", w.beta, 1, x.cols());
  check_shape("batch_norm", "moments", moments.stats, 2, x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::BatchNorm{.x = x,
                                   .gamma = w.gamma,
                                   .beta = w.beta,
                                   .epsilon = w.epsilon,
                                   .y = y,
                                   .stats = moments.stats});
  const auto backward = [x, gamma = w.gamma, stats = moments.stats, fixed = moments.is_fixed,
                         epsilon = w.epsilon](Backward& b) {
    const Tensor d_x = Tensor::empty(x.shape(), x.dtype());  // [N, D]
    const Tensor d_gamma = Tensor::zeros(gamma.shape(), stats.dtype());
    const Tensor d_beta = Tensor::zeros(gamma.shape(), stats.dtype());
    backend_of(x)(kernels::BatchNormBackward{.x = x,
                                             .gamma = gamma,
                                             .stats = stats,
                                             .d_y = b.d_output(),
                                             .epsilon = epsilon,
                                             .is_fixed = fixed,
                                             .d_x = d_x,
                                             .d_gamma = d_gamma,
                                             .d_beta = d_beta});
    b.add(1, d_gamma);
    b.add(2, d_beta);
    b.add(0, d_x);
  };
  record(tape, y, {&x, &w.gamma, &w.beta}, backward);
  return y;
}

}  // namespace weft::ops
