// An affine map with its activation and dropout: one product.
#ifndef WEFT_OPS_FUSED_LINEAR_H_
#define WEFT_OPS_FUSED_LINEAR_H_

#include "weft/autograd/tape.h"
#include "weft/ops/activation.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

struct LinearWeights {
  const Tensor& weight;  // [D_out, D_in]
  const Tensor& bias;    // [1, D_out], or empty
};

// A layer of logits: soft_cap(x weight^T + bias).
struct OutputLayer : LinearWeights {
  double soft_cap = 0;  // see activation.h; 0: none
};

// What follows the product.
struct LinearParams {
  Activation activation = Activation::kNone;
  DropoutParams dropout;

  LinearParams(Activation kind,
               DropoutParams drop = {})  // NOLINT: an activation may say all there is
      : activation(kind), dropout(std::move(drop)) {}
};

// y = dropout(act(x weight^T + bias)); x [N, D_in], y [N, D_out]. Of a ReLU backward needs only
// what dropout left of it, where zeros stand for both. Throws ShapeError where weight, bias or
// dropout does not fit.
Tensor linear(const Tensor& x, const LinearWeights& weights, const LinearParams& params,
              Tape* tape);
Tensor linear_composite(const Tensor& x, const LinearWeights& weights, const LinearParams& params,
                        Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_LINEAR_H_
