// An affine map with its activation: one product.
#ifndef WEFT_OPS_FUSED_LINEAR_H_
#define WEFT_OPS_FUSED_LINEAR_H_

#include "weft/autograd/tape.h"
#include "weft/ops/activation.h"

namespace weft::ops {

using autograd::Tape;

struct LinearWeights {
  const Tensor& weight;  // [D_out, D_in]
  const Tensor& bias;    // [1, D_out], or empty
};

// y = act(x weight^T + bias); x [N, D_in], y [N, D_out].
Tensor linear(const Tensor& x, const LinearWeights& weights, Activation activation, Tape* tape);
Tensor linear_composite(const Tensor& x, const LinearWeights& weights, Activation activation,
                        Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_LINEAR_H_
