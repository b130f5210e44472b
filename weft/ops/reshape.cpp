#include "weft/ops/reshape.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor reshape(const Tensor& x, Shape shape, Tape* tape) {
  Tensor y = (x.is_dense() ? x : x.clone()).reshape(shape);
  y.node = autograd::kConstant;
  record(tape, y, {&x}, [from = x.shape()](Backward& b) {
    const Tensor d_y = b.d_output();
    b.add(0, (d_y.is_dense() ? d_y : d_y.clone()).reshape(from));
  });
  return y;
}

}  // namespace weft::ops
