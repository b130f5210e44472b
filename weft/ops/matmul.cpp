#include "weft/ops/matmul.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/gemm.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// d_x += or = op(p) op(q), the gradient of one operand.
void product(const Tensor& p, const Tensor& q, Transposed t, const Tensor& d_x, float beta) {
  backend_of(p)(kernels::Gemm{
      .a = p, .b = q, .c = d_x, .transpose_a = t.a, .transpose_b = t.b, .beta = beta});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, Transposed t, Tape* tape) {
  const int64_t m = t.a ? a.cols() : a.rows(), k = t.a ? a.rows() : a.cols();
  const int64_t n = t.b ? b.rows() : b.cols();
  check_shape("matmul", "b", b, t.b ? n : k, t.b ? k : n);
  Tensor y = Tensor::empty({m, n}, a.dtype());  // [m, n]
  product(a, b, t, y, 0);
  record(tape, y, {&a, &b}, [a, b, t](Backward& pass) {
    const Tensor d_y = pass.d_output();  // [m, n]
    pass.product(0, [&](const Tensor& d_a, float beta) {
      if (t.a) {
        product(b, d_y, {t.b, true}, d_a, beta);
      } else {
        product(d_y, b, {false, !t.b}, d_a, beta);
      }
    });
    pass.product(1, [&](const Tensor& d_b, float beta) {
      if (t.b) {
        product(d_y, a, {true, t.a}, d_b, beta);
      } else {
        product(a, d_y, {!t.a, false}, d_b, beta);
      }
    });
  });
  return y;
}

}  // namespace weft::ops
