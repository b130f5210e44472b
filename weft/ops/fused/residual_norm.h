// The sublayer connection: residual, dropout and layer norm in one pass.
#ifndef WEFT_OPS_FUSED_RESIDUAL_NORM_H_
#define WEFT_OPS_FUSED_RESIDUAL_NORM_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layer_norm.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

struct ResidualNorm {
  Tensor sum;   // residual + dropout(x), [N, D]
  Tensor norm;  // layer_norm(sum), [N, D]
};

// x is the sublayer's output, `residual` what went into it; both [N, D].
ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const DropoutSite& site,
                           const NormWeights& weights, Tape* tape);
ResidualNorm residual_norm_composite(const Tensor& x, const Tensor& residual,
                                     const DropoutSite& site, const NormWeights& weights,
                                     Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_RESIDUAL_NORM_H_
