// Output projection, softmax and connectionist temporal classification in one op.
#ifndef WEFT_OPS_FUSED_PROJECTION_CTC_H_
#define WEFT_OPS_FUSED_PROJECTION_CTC_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/ctc.h"

namespace weft::ops {

// What rows of classes are to spell.
struct Spelling {
  RowsPtr rows;
  LabelsPtr labels;
};

// ctc(x weight^T + bias, rows, labels); x [N, D], weight [V, D], bias [1, V] or empty. The logits
// exist for some sentences at a time, and their gradient is taken while they do. Throws as ctc()
// does.
CtcLoss projection_ctc(const Tensor& x, const LinearWeights& projection, const Spelling& spelling,
                       const CtcRule& rule, Tape* tape);
CtcLoss projection_ctc_composite(const Tensor& x, const LinearWeights& projection,
                                 const Spelling& spelling, const CtcRule& rule, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_PROJECTION_CTC_H_
