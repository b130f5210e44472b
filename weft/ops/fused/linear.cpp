#include "weft/ops/fused/linear.h"

#include "weft/kernels/activation.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/reduce.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;
using autograd::save;

namespace {

// Whether the activation's derivative can be told from its output, so that its input need not be
// kept.
bool from_output(Activation kind) { return kind == Activation::kRelu; }

void backward(Backward& b, const Tensor& x, const Tensor& weight, const Tensor& d_y) {
  const auto& backend = backend_of(x);
  b.accumulate(2,
               [&](const Tensor& d_bias) { backend(kernels::ColumnSum{.x = d_y, .y = d_bias}); });
  b.product(1, [&](const Tensor& d_weight, float beta) {
    backend(kernels::Gemm{.a = d_y, .b = x, .c = d_weight, .transpose_a = true, .beta = beta});
  });
  b.product(0, [&](const Tensor& d_x, float beta) {
    backend(kernels::Gemm{.a = d_y, .b = weight, .c = d_x, .beta = beta});
  });
}

}  // namespace

Tensor linear_composite(const Tensor& x, const LinearWeights& w, const LinearParams& params,
                        Tape* tape) {
  Tensor y = matmul(x, w.weight, {.b = true}, tape);  // [N, D_out]
  if (w.bias) y = add_bias(y, w.bias, tape);
  if (params.activation != Activation::kNone) y = activate(params.activation, y, tape);
  return dropout(y, params.dropout, tape);
}

Tensor linear(const Tensor& x, const LinearWeights& w, const LinearParams& params, Tape* tape) {
  check_shape("linear", "weight", w.weight, -1, x.cols());
  if (w.bias) check_shape("linear", "bias", w.bias, 1, w.weight.rows());
  check_dropout(params.dropout, x);
  if (!fused_enabled()) return linear_composite(x, w, params, tape);
  const Activation activation = params.activation;
  const bool needs_input = activation != Activation::kNone && !from_output(activation);
  if (tape != nullptr && needs_input) {
    const Tensor h = linear(x, w, Activation::kNone, tape);
    return dropout(activate(activation, h, tape), params.dropout, tape);
  }
  if (params.dropout && activation != Activation::kRelu) {
    return dropout(linear(x, w, activation, tape), params.dropout, tape);
  }
  Tensor y = Tensor::empty({x.rows(), w.weight.rows()}, x.dtype());  // [N, D_out]
  kernels::Gemm product{.a = x, .b = w.weight, .c = y, .transpose_b = true};
  if (w.bias) product.bias = w.bias;
  product.activation = activation;
  backend_of(x)(product);
  if (params.dropout) backend_of(y)(kernels::Dropout{.mask = params.dropout.mask, .x = y, .y = y});
  if (activation == Activation::kNone) {
    record(tape, y, {&x, &w.weight, &w.bias}, [x = save(tape, x), weight = w.weight](Backward& b) {
      backward(b, x.get(), weight, b.d_output());
    });
  } else {
    const double factor = params.dropout.mask.factor();
    record(tape, y, {&x, &w.weight, &w.bias},
           [x = save(tape, x), weight = w.weight, activation, y, factor](Backward& b) {
             const auto& backend = backend_of(y);
             const Tensor d_y = b.d_output();
             const Tensor d_h = Tensor::empty(d_y.shape(), d_y.dtype());  // [N, D_out]
             backend(kernels::ActivateBackward{.kind = activation, .x = y, .d_y = d_y, .d_x = d_h});
             if (factor != 1) backend(kernels::Scale{.alpha = factor, .x = d_h, .y = d_h});
             backward(b, x.get(), weight, d_h);
           });
  }
  return y;
}

}  // namespace weft::ops
