#include "weft/ops/fused/residual_norm.h"

#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/norm_backward.h"

namespace weft::ops {

using autograd::Backward;

ResidualNorm residual_norm_composite(const Tensor& x, const Tensor& residual,
                                     const DropoutSite& site, const NormWeights& w, Tape* tape) {
  const Tensor sum = add(residual, dropout(x, site, tape), tape);
  return {sum, layer_norm(sum, w, tape)};
}

ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const DropoutSite& site,
                           const NormWeights& w, Tape* tape) {
  check_shape("residual_norm", "residual", residual, x.rows(), x.cols());
  check_shape("residual_norm", "gamma", w.gamma, 1, x.cols());
  check_shape("residual_norm", "beta", w.beta, 1, x.cols());
  check_site(site, x);
  if (!fused_enabled()) return residual_norm_composite(x, residual, site, w, tape);
  Tensor sum = Tensor::empty(x.shape(), x.dtype());                  // [N, D]
  Tensor norm = Tensor::empty(x.shape(), x.dtype());                 // [N, D]
  Tensor stats = Tensor::empty({x.rows(), 2}, sum_type(x.dtype()));  // [N, 2]
  backend_of(x).residual_norm(
      {site.mask, x, residual, w.gamma, w.beta, w.epsilon, sum, norm, stats});
  if (tape == nullptr) return {sum, norm};
  tape->record({&sum, &norm}, {&x, &w.gamma, &w.beta, &residual},
               [site, sum, gamma = w.gamma, stats](Backward& b) {
                 const auto give = [&](const Tensor& d_sum) {
                   if (site) {
                     b.write(0, [&](const Tensor& d_x) {
                       backend_of(d_sum).dropout(site.mask, d_sum, d_x);
                     });
                   } else {
                     b.add(0, d_sum);
                   }
                   b.add(3, d_sum);
                 };
                 const Tensor d_norm = b.d_output(1), d_through = b.d_output(0);
                 if (!d_norm) return give(d_through);
                 norm_backward(b, {sum, gamma, stats, d_norm}, [&](const Tensor& d_sum) {
                   if (d_through) backend_of(d_sum).accumulate(1, d_through, d_sum);
                   give(d_sum);
                 });
               });
  return {sum, norm};
}

}  // namespace weft::ops
