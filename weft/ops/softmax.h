// Softmax over rows.
#ifndef WEFT_OPS_SOFTMAX_H_
#define WEFT_OPS_SOFTMAX_H_

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// y[n] = exp(x[n]) / sum(exp(x[n])), computed from x - max(x). x [N, V].
Tensor softmax(const Tensor& x, Tape* tape);

// y[n] = x[n] - log(sum(exp(x[n]))).
Tensor log_softmax(const Tensor& x, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_SOFTMAX_H_
