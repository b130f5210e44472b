#include "weft/ops/scale.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/sum.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor scale(const Tensor& x, double alpha, Tape* tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x)(kernels::Scale{.alpha = alpha, .x = x, .y = y});
  record(tape, y, {&x}, [alpha](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Scale{.alpha = alpha, .x = d_y, .y = d_x});
    });
  });
  return y;
}

Tensor scale_by(const Tensor& x, const Tensor& factor, Tape* tape) {
  check_shape("scale_by", "factor", factor, 1, 1);
  const double alpha = factor.to(sum_type(factor.dtype())).item();
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Scale{.alpha = alpha, .x = x, .y = y});
  record(tape, y, {&x, &factor}, [x, alpha](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Scale{.alpha = alpha, .x = d_y, .y = d_x});
    });
    if (!b.wants(1)) return;
    const Tensor products = Tensor::empty(x.shape(), x.dtype());  // [N, D]
    backend_of(x)(kernels::Multiply{.x = x, .z = d_y, .y = products});
    b.add(1, Tensor::full({1, 1}, total_of(products), sum_type(x.dtype())));
  });
  return y;
}

Tensor multiply(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("multiply", "z", z, x.rows(), x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Multiply{.x = x, .z = z, .y = y});
  record(tape, y, {&x, &z}, [x, z](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Multiply{.x = d_y, .z = z, .y = d_x});
    });
    b.write(1, [&](const Tensor& d_z) {
      backend_of(d_y)(kernels::Multiply{.x = d_y, .z = x, .y = d_z});
    });
  });
  return y;
}

Tensor divide(const Tensor& x, const Tensor& z, Tape* tape) {
  check_shape("divide", "z", z, x.rows(), x.cols());
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, D]
  backend_of(x)(kernels::Divide{.x = x, .z = z, .y = y});
  record(tape, y, {&x, &z}, [y, z](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Divide{.x = d_y, .z = z, .y = d_x});
    });
    b.write(1, [&](const Tensor& d_z) {  // -d_y y / z
      const auto& backend = backend_of(d_y);
      backend(kernels::Multiply{.x = d_y, .z = y, .y = d_z});
      backend(kernels::Divide{.x = d_z, .z = z, .y = d_z});
      backend(kernels::Scale{.alpha = -1, .x = d_z, .y = d_z});
    });
  });
  return y;
}

}  // namespace weft::ops
