// Output projection, softmax and connectionist temporal classification in one op.
#ifndef WEFT_OPS_FUSED_PROJECTION_CTC_H_
#define WEFT_OPS_FUSED_PROJECTION_CTC_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/ctc.h"

namespace weft::ops {

// What rows of classes are to spell.
struct CtcTargets {
  LayoutPtr rows;
  LabelsPtr labels;
};

// ctc(x weight^T + bias, rows, labels); x [N, D], weight [V, D], bias [1, V] or empty. The logits
// exist for some sequences at a time, and their gradient is taken while they do. Throws as ctc()
// does.
CtcLoss projection_ctc(const Tensor& x, const OutputLayer& projection, const CtcTargets& spelling,
                       const CtcParams& params, Tape* tape);
CtcLoss projection_ctc_composite(const Tensor& x, const OutputLayer& projection,
                                 const CtcTargets& spelling, const CtcParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_PROJECTION_CTC_H_
