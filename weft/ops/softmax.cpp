#include "weft/ops/softmax.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/softmax.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor softmax(const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, V]
  backend_of(x)(kernels::Softmax{.x = x, .y = y});
  record(tape, y, {&x}, [y](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(y)(kernels::SoftmaxBackward{.y = y, .d_y = d_y, .d_x = d_x});
    });
  });
  return y;
}

Tensor log_softmax(const Tensor& x, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, V]
  backend_of(x)(kernels::LogSoftmax{.x = x, .y = y});
  record(tape, y, {&x}, [y](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(y)(kernels::LogSoftmaxBackward{.y = y, .d_y = d_y, .d_x = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
