// Activations and gated units, element by element.
#ifndef WEFT_OPS_ACTIVATION_H_
#define WEFT_OPS_ACTIVATION_H_

#include "weft/autograd/tape.h"
#include "weft/kernels/activation_kind.h"

namespace weft::ops {

using autograd::Tape;

using kernels::Activation;

// y = act(x): relu (max(0, x)), gelu (x Phi(x), exact), silu (x sigmoid(x)),
// tanh, sigmoid, elu(x) + 1.
Tensor activate(Activation kind, const Tensor& x, Tape* tape);

// y = cap * tanh(x / cap), a smooth bound (Gemma 2, arXiv 2408.00118); x where the cap is 0.
Tensor soft_cap(const Tensor& x, double cap, Tape* tape);

// y [N, F] = act(x[:, :F]) * x[:, F:] of x [N, 2F] (GLU variants, Shazeer 2020, arXiv 2002.05202).
// Throws ShapeError for an odd number of columns.
Tensor gate(Activation kind, const Tensor& x, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ACTIVATION_H_
