// Stochastic depth (Huang et al. 2016, arXiv 1603.09382): what a sublayer adds is left out for
// whole sequences.
#ifndef WEFT_OPS_DROP_PATH_H_
#define WEFT_OPS_DROP_PATH_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y = 0 over all rows of a sequence with probability p, x / (1 - p) otherwise. The draw is a pure
// function of the key, the RNG stream and the sequence: the lowest 16 bits of
// philox({stream, sequence, 0, 0}, key). Without dropout x itself. x [N, D], N the rows of `drop`.
Tensor drop_path(const Tensor& x, const DropoutParams& drop, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_DROP_PATH_H_
