// Rotary positions.
#ifndef WEFT_OPS_ROTARY_H_
#define WEFT_OPS_ROTARY_H_

#include "weft/autograd/tape.h"
#include "weft/ops/rows.h"

namespace weft::ops {

using autograd::Tape;

// How rows are turned: each head's columns in `axes` parts, part a by position[n * axes + a].
struct RotaryRule {
  Ids position;  // [N * axes]
  int64_t axes = 1;
  int64_t heads = 1;
  double base = 10000;
};

// Turns queries or keys x [N, H*K] by their positions, so that a score depends on the distance of
// its two rows alone (Su et al. 2021, arXiv 2104.09864): of a part with features (a, b), each half
// of it, y = (a cos - b sin, b cos + a sin) with the angle position * base^(-f / half) for feature
// f of a half. With two axes a row has two coordinates, as of a patch in a picture (CroCo v2,
// Weinzaepfel et al. 2023, arXiv 2211.10408). Throws ShapeError unless 2 * axes * heads divides the
// columns and every row has its positions.
Tensor rotary(const Tensor& x, const RotaryRule& rule, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_ROTARY_H_
