#include "weft/ops/softmax.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor softmax(const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, V]
  backend_of(x).softmax(x, y);
  record(tape, y, {&x}, [y](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(y).d_softmax(y, d_y, d_x); });
  });
  return y;
}

Tensor log_softmax(const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, V]
  backend_of(x).log_softmax(x, y);
  record(tape, y, {&x}, [y](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(y).d_log_softmax(y, d_y, d_x); });
  });
  return y;
}

}  // namespace weft::ops
