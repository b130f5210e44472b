#include "weft/ops/losses/divergence.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Loss divergence(const Tensor& x, const Tensor& z, const DivergenceRule& rule, Tape* tape) {
  check_shape("divergence", "z", z, x.rows(), x.cols());
  check_row_weights(rule.row_weights, x.rows());
  if (!(rule.temperature > 0)) {
    fail<OptionError>("divergence", "temperature {}; expected more than 0", rule.temperature);
  }
  std::vector<double> losses(static_cast<size_t>(x.rows()));
  backend_of(x)(kernels::Divergence{.x = x,
                                    .z = z,
                                    .temperature = rule.temperature,
                                    .loss = losses.data(),
                                    .d_x = {},
                                    .d_z = {}});
  Loss sum;
  sum.total = weighted_sum(losses, rule.row_weights);
  sum.value = Tensor::full({1, 1}, rule.weight * sum.total, sum_type(x.dtype()));
  record(tape, sum.value, {&x, &z}, [x, z, rule](Backward& b) {
    std::vector<double> again(static_cast<size_t>(x.rows()));
    kernels::Divergence call{.x = x,
                             .z = z,
                             .temperature = rule.temperature,
                             .weight = rule.weight * b.d_output().item(),
                             .row_weights = data_of(rule.row_weights),
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
