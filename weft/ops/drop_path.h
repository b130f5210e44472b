// Stochastic depth (Huang et al. 2016, arXiv 1603.09382): what a sublayer adds is left out for
// whole sequences.
#ifndef WEFT_OPS_DROP_PATH_H_
#define WEFT_OPS_DROP_PATH_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y = 0 over all rows of a sequence with probability p, x / (1 - p) otherwise. The draw is a pure
// function of the site's key and number and of the sequence: the lowest 16 bits of
// philox({site, sequence, 0, 0}, key). A site that drops nothing returns x itself. x [N, D], N the
// rows of the site.
Tensor drop_path(const Tensor& x, const DropoutParams& drop, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_DROP_PATH_H_
