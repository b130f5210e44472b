#include "weft/ops/cast.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor cast(const Tensor& x, DType type, Tape* tape) {
  if (x.dtype() == type) return x;
  Tensor y = x.to(type);
  record(tape, y, {&x}, [y](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(y).copy(d_y, d_x); });
  });
  return y;
}

}  // namespace weft::ops
