#include "weft/ops/activation.h"

#include "weft/kernels/activation.h"
#include "weft/kernels/backend.h"
#include "weft/ops/scale.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor activate(Activation kind, const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x)(kernels::Activate{.kind = kind, .x = x, .y = y});
  record(tape, y, {&x}, [kind, x](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::ActivateBackward{.kind = kind, .x = x, .d_y = d_y, .d_x = d_x});
    });
  });
  return y;
}

Tensor soft_cap(const Tensor& x, double cap, Tape* tape) {
  if (cap == 0) return x;
  return scale(activate(Activation::kTanh, scale(x, 1 / cap, tape), tape), cap, tape);
}

Tensor gate(Activation kind, const Tensor& x, Tape* tape) {
  if (x.cols() % 2 != 0) {
    fail<ShapeError>("gate", "expected an even number of columns, got {}", x.shape().text());
  }
  Tensor y = Tensor::empty({x.rows(), x.cols() / 2}, x.dtype());  // [N, F]
  backend_of(x)(kernels::Gate{.kind = kind, .x = x, .y = y});
  record(tape, y, {&x}, [kind, x](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::GateBackward{.kind = kind, .x = x, .d_y = d_y, .d_x = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
