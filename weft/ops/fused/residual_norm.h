// The sublayer connection: residual, dropout and norm in one pass.
#ifndef WEFT_OPS_FUSED_RESIDUAL_NORM_H_
#define WEFT_OPS_FUSED_RESIDUAL_NORM_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layer_norm.h"
#include "weft/ops/layout.h"
#include "weft/ops/rms_norm.h"

namespace weft::ops {

using autograd::Tape;

struct ResidualNorm {
  Tensor sum;   // scale * residual + dropout(x), [N, D]
  Tensor norm;  // norm(sum), [N, D]
};

// How a sublayer's output joins the residual.
struct ResidualParams {
  DropoutParams dropout;
  double scale = 1;  // of the residual (DeepNorm, Wang et al. 2022, arXiv 2203.00555)

  ResidualParams() = default;
  ResidualParams(DropoutParams drop, double of_residual = 1)  // NOLINT: from dropout alone, too
      : dropout(std::move(drop)), scale(of_residual) {}
};

// x is the sublayer's output, `residual` what went into it; both [N, D]. Throws ShapeError where
// residual, gamma, beta or dropout does not fit x.
ResidualNorm residual_norm(const Tensor& x, const Tensor& residual, const ResidualParams& params,
                           const NormWeights& weights, Tape* tape);
ResidualNorm residual_norm_composite(const Tensor& x, const Tensor& residual,
                                     const ResidualParams& params, const NormWeights& weights,
                                     Tape* tape);

// The same with an rms norm.
ResidualNorm residual_rms_norm(const Tensor& x, const Tensor& residual,
                               const ResidualParams& params, const RmsWeights& weights, Tape* tape);
ResidualNorm residual_rms_norm_composite(const Tensor& x, const Tensor& residual,
                                         const ResidualParams& params, const RmsWeights& weights,
                                         Tape* tape);

// scale * residual + dropout(x), without a norm. Throws ShapeError where residual or dropout does
// not fit x.
Tensor residual_sum(const Tensor& x, const Tensor& residual, const ResidualParams& params,
                    Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_RESIDUAL_NORM_H_
