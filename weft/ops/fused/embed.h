// Token embedding, position encoding and dropout in one pass.
#ifndef WEFT_OPS_FUSED_EMBED_H_
#define WEFT_OPS_FUSED_EMBED_H_

#include "weft/ops/embedding.h"

namespace weft::ops {

using autograd::Tape;

// y = dropout(scale * table[ids] + sinusoid(position)); table [V, D], y [N, D]. Without positions
// the second term is left out.
struct Embed {
  double scale = 1;
  bool sinusoidal = true;
  LayoutPtr rows;
  DropoutParams dropout;
};

// Throws ShapeError for an id outside the table, and where ids or dropout do not fit the rows.
Tensor embed(const Tensor& table, const Ids& ids, const Embed& params, Tape* tape);
Tensor embed_composite(const Tensor& table, const Ids& ids, const Embed& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_EMBED_H_
