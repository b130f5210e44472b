// The backward of a layer or rms norm, shared by the plain op and the fused sublayer connection.
#ifndef WEFT_OPS_NORM_BACKWARD_H_
#define WEFT_OPS_NORM_BACKWARD_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/norm.h"

namespace weft::ops {

// What the forward pass saved, and the gradient that came back.
struct NormSaved {
  const Tensor& x;      // [N, D]
  const Tensor& gamma;  // [1, D]
  const Tensor& stats;  // [N, 2]
  const Tensor& d_y;    // [N, D]
};

// Returns d_x [N, D] and adds to the gradients of inputs 1 (gamma) and 2 (beta).
inline Tensor norm_backward(autograd::Backward& b, const NormSaved& s) {
  const auto& backend = backend_of(s.x);
  Tensor d_x = Tensor::empty(s.x.shape(), s.x.dtype());  // [N, D]
  const Tensor d_gamma = Tensor::zeros(s.gamma.shape(), s.stats.dtype());
  const Tensor d_beta = Tensor::zeros(s.gamma.shape(), s.stats.dtype());
  backend(kernels::LayerNormBackward{.x = s.x,
                                     .gamma = s.gamma,
                                     .stats = s.stats,
                                     .d_y = s.d_y,
                                     .d_x = d_x,
                                     .d_gamma = d_gamma,
                                     .d_beta = d_beta});
  b.add(1, d_gamma);
  b.add(2, d_beta);
  return d_x;
}

// The same of an rms norm, which has no beta.
inline Tensor rms_norm_backward(autograd::Backward& b, const NormSaved& s) {
  Tensor d_x = Tensor::empty(s.x.shape(), s.x.dtype());  // [N, D]
  const Tensor d_gamma = Tensor::zeros(s.gamma.shape(), s.stats.dtype());
  backend_of(s.x)(kernels::RmsNormBackward{
      .x = s.x, .gamma = s.gamma, .stats = s.stats, .d_y = s.d_y, .d_x = d_x, .d_gamma = d_gamma});
  b.add(1, d_gamma);
  return d_x;
}

}  // namespace weft::ops

#endif  // WEFT_OPS_NORM_BACKWARD_H_
