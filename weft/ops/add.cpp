#include "weft/ops/add.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor add(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("add", "z", z, x.rows(), x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x).add(x, z, y);
  record(tape, y, {&x, &z}, [](Backward& b) {
    b.add(0, b.d_output());
    b.add(1, b.d_output());
  });
  return y;
}

Tensor add_bias(const Tensor& x, const Tensor& bias, Tape* tape) {
  check_shape("add_bias", "bias", bias, 1, x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  for (int64_t n = 0; n < x.rows(); ++n) {
    backend_of(x).add(x.row_range(n, n + 1), bias, y.row_range(n, n + 1));
  }
  record(tape, y, {&x, &bias}, [](Backward& b) {
    const Tensor d_y = b.d_output();
    b.accumulate(1, [&](const Tensor& d_bias) { backend_of(d_y).column_sum(d_y, d_bias); });
    b.add(0, d_y);
  });
  return y;
}

}  // namespace weft::ops
