// Stochastic depth (Huang et al. 2016, arXiv 1603.09382): what a sublayer adds is left out for
// whole sentences.
#ifndef WEFT_OPS_DROP_PATH_H_
#define WEFT_OPS_DROP_PATH_H_

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

// y = 0 over all rows of a sentence with probability p, x / (1 - p) otherwise. The draw is a pure
// function of the site's key and number and of the sentence: the lowest 16 bits of
// philox({site, sentence, 0, 0}, key). A site that drops nothing returns x itself. x [N, D], N the
// rows of the site.
Tensor drop_path(const Tensor& x, const DropoutSite& site, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_DROP_PATH_H_
