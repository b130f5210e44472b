#include "weft/ops/losses/divergence.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Loss divergence(const Tensor& x, const Tensor& z, const DivergenceParams& params, Tape* tape) {
  check_shape("divergence", "z", z, x.rows(), x.cols());
  check_row_weights(params.row_weights, x.rows());
  if (!(params.temperature > 0)) {
    fail<OptionError>("divergence", "temperature {}; expected more than 0", params.temperature);
  }
  std::vector<double> losses(static_cast<size_t>(x.rows()));
  backend_of(x)(kernels::Divergence{.x = x,
                                    .z = z,
                                    .temperature = params.temperature,
                                    .loss = losses.data(),
                                    .d_x = {},
                                    .d_z = {}});
  Loss sum;
  sum.total = weighted_sum(losses, params.row_weights);
  sum.value = Tensor::full({1, 1}, params.weight * sum.total, sum_type(x.dtype()));
  record(tape, sum.value, {&x, &z}, [x, z, params](Backward& b) {
    std::vector<double> again(static_cast<size_t>(x.rows()));
    kernels::Divergence call{.x = x,
                             .z = z,
                             .temperature = params.temperature,
                             .weight = params.weight * b.d_output().item(),
                             .row_weights = data_of(params.row_weights),
                             .loss = again.data(),
                             .d_x = {},
                             .d_z = {}};
    b.accumulate(0, [&](const Tensor& d_x) {
      call.d_x = d_x;
      backend_of(x)(call);
    });
    call.d_x = {};
    b.accumulate(1, [&](const Tensor& d_z) {
      call.d_z = d_z;
      backend_of(x)(call);
    });
  });
  return sum;
}

}  // namespace weft::ops
