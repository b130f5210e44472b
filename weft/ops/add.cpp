#include "weft/ops/add.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/reduce.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor add(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("add", "z", z, x.rows(), x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Add{.x = x, .z = z, .y = y});
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
    backend_of(x)(kernels::Add{.x = x.row_range(n, n + 1), .z = bias, .y = y.row_range(n, n + 1)});
  }
  record(tape, y, {&x, &bias}, [](Backward& b) {
    const Tensor d_y = b.d_output();
    b.accumulate(1, [&](const Tensor& d_bias) {
      backend_of(d_y)(kernels::ColumnSum{.x = d_y, .y = d_bias});
    });
    b.add(0, d_y);
  });
  return y;
}

}  // namespace weft::ops
