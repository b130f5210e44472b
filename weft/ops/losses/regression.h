// Losses of numbers that are predicted.
#ifndef WEFT_OPS_LOSSES_REGRESSION_H_
#define WEFT_OPS_LOSSES_REGRESSION_H_

#include "weft/autograd/tape.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

using autograd::Tape;

// weight * the sum over rows of the mean over columns of (x - target)^2, and of |x - target|; its
// `total` is that sum. x [N, C], target [N, C], computed in F32 where x is BF16.
// Throws ShapeError for a target of another shape.
Loss squared_error(const Tensor& x, const Tensor& target, double weight, Tape* tape);
Loss absolute_error(const Tensor& x, const Tensor& target, double weight, Tape* tape);
// The same of Huber's error (Huber 1964): d^2 / 2 of a difference d up to `delta`, and beyond it
// delta (|d| - delta / 2).
Loss huber_error(const Tensor& x, const Tensor& target, double delta, double weight, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_REGRESSION_H_
