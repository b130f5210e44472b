// Output projection and the loss against a target that mixes the truth with a teacher's
// distribution (Hinton et al. 2015, arXiv 1503.02531; Kim and Rush 2016, arXiv 1606.07947).
#ifndef WEFT_OPS_FUSED_DISTILLATION_LOSS_H_
#define WEFT_OPS_FUSED_DISTILLATION_LOSS_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

// States and the projection that makes logits of them.
struct Projected {
  const Tensor& states;  // [N, D]
  OutputLayer by;        // weight [V, D], bias [1, V] or empty
};

struct Distillation {
  CrossEntropy truth = {};  // its weight and row_weights are the whole loss's
  double share = 0.5;       // of the teacher, 0 to 1
  double temperature = 1;   // T, above 0
};

// loss [1, 1] = weight * sum over rows of row_weights *
//   ((1 - share) * loss against the truth + share * T^2 * KL(softmax(z / T), softmax(y / T))),
// with logits y of the student and z of the teacher, which has no gradient. The teacher's width D
// may be another; its logits too exist for a chunk of rows at a time. Throws ShapeError where the
// states, projections, targets and row weights do not fit together, and OptionError for a share or
// a temperature out of range.
Loss distillation_loss(const Projected& student, const Projected& teacher, const Ids& targets,
                       const Distillation& params, Tape* tape);
Loss distillation_loss_composite(const Projected& student, const Projected& teacher,
                                 const Ids& targets, const Distillation& params, Tape* tape);

// The same of logits y and z [N, V].
Loss distillation_loss(const Tensor& y, const Tensor& z, const Ids& targets,
                       const Distillation& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_DISTILLATION_LOSS_H_
