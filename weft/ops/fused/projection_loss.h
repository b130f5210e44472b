// Output projection, softmax and label-smoothed cross-entropy in one op.
#ifndef WEFT_OPS_FUSED_PROJECTION_LOSS_H_
#define WEFT_OPS_FUSED_PROJECTION_LOSS_H_

#include "weft/ops/fused/linear.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

using autograd::Tape;

// loss [1, 1] = cross_entropy(x weight^T + bias, targets); x [N, D], weight [V, D], bias [1, V] or
// empty. The logits exist for a chunk of rows at a time, and their gradient is taken while they do.
Loss projection_loss(const Tensor& x, const OutputLayer& projection, const Ids& targets,
                     const CrossEntropy& params, Tape* tape);
struct TokenLosses {
  std::vector<double> total;  // [N], nats
  std::vector<double> nll;
};
// The loss of every row, without gradients.
TokenLosses projection_losses(const Tensor& x, const OutputLayer& projection, const Ids& targets,
                              double smoothing = 0);

Loss projection_loss_composite(const Tensor& x, const OutputLayer& projection, const Ids& targets,
                               const CrossEntropy& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_PROJECTION_LOSS_H_
