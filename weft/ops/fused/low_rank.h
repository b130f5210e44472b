// The second product of low-rank updates of linear maps, added in place.
#ifndef WEFT_OPS_FUSED_LOW_RANK_H_
#define WEFT_OPS_FUSED_LOW_RANK_H_

#include <span>

#include "weft/autograd/tape.h"

namespace weft::ops {

using autograd::Tape;

// One update: columns [h_begin, h_begin + r) of h times up^T are added to columns
// [y_begin, y_begin + D_out) of y.
struct LowRankPart {
  const Tensor& up;  // [D_out, r]
  int64_t h_begin = 0;
  int64_t y_begin = 0;
};

// y [N, D] with all parts added; h [N, R] holds the columns of the parts, in order. The result has
// the memory of y: no op may have saved y. Throws ShapeError for parts that do not fit y or h.
Tensor add_low_rank(const Tensor& y, const Tensor& h, std::span<const LowRankPart> parts,
                    Tape* tape);
Tensor add_low_rank_composite(const Tensor& y, const Tensor& h, std::span<const LowRankPart> parts,
                              Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_LOW_RANK_H_
