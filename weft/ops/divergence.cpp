#include "weft/ops/divergence.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Loss divergence(const Tensor& x, const Tensor& z, const DivergenceRule& how, Tape* tape) {
  check_shape("divergence", "z", z, x.rows(), x.cols());
  check_row_weights(how.row_weights, x.rows());
  if (!(how.temperature > 0)) {
    fail<OptionError>("divergence", "temperature {}; expected more than 0", how.temperature);
  }
  std::vector<double> losses(static_cast<size_t>(x.rows()));
  backend_of(x)(kernels::Divergence{
      .x = x, .z = z, .temperature = how.temperature, .loss = losses.data(), .d_x = {}, .d_z = {}});
  Loss total;
  total.smoothed = weighted_sum(losses, how.row_weights);
  total.value = Tensor::full({1, 1}, how.weight * total.smoothed, sum_type(x.dtype()));
  record(tape, total.value, {&x, &z}, [x, z, how](Backward& b) {
    std::vector<double> again(static_cast<size_t>(x.rows()));
    kernels::Divergence call{.x = x,
                             .z = z,
                             .temperature = how.temperature,
                             .weight = how.weight * b.d_output().item(),
                             .row_weights = data_of(how.row_weights),
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
  return total;
}

}  // namespace weft::ops
