#include "weft/ops/dropout.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

void check_dropout(const DropoutParams& drop, const Tensor& x) {
  if (drop) check_shape("dropout", "x", x, drop.rows->count(), -1);
}

Tensor dropout(const Tensor& x, const DropoutParams& drop, Tape* tape) {
  if (!drop) return x;
  check_dropout(drop, x);
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Dropout{.mask = drop.mask, .x = x, .y = y});
  record(tape, y, {&x}, [drop](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Dropout{.mask = drop.mask, .x = d_y, .y = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
