#include "weft/ops/activation.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor activate(Activation kind, const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x).activation(kind, x, y);
  record(tape, y, {&x}, [kind, x](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(d_y).d_activation(kind, x, d_y, d_x); });
  });
  return y;
}

Tensor gate(Activation kind, const Tensor& x, Tape* tape) {
  if (x.cols() % 2 != 0) {
    fail<ShapeError>("gate", "expected an even number of columns, got {}", x.shape().text());
  }
  Tensor y = Tensor::empty({x.rows(), x.cols() / 2}, x.dtype());  // [N, F]
  backend_of(x).gate(kind, x, y);
  record(tape, y, {&x}, [kind, x](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(d_y).d_gate(kind, x, d_y, d_x); });
  });
  return y;
}

}  // namespace weft::ops
