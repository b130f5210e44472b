#include "weft/ops/convert.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor convert(const Tensor& x, DType dtype, Tape* tape) {
  if (x.dtype() == dtype) return x;
  Tensor y = x.to(dtype);
  record(tape, y, {&x}, [from = x.dtype()](Backward& b) { b.add(0, b.d_output().to(from)); });
  return y;
}

}  // namespace weft::ops
