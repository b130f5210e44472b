#include "weft/ops/fused/sinkhorn.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/softmax.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/matmul.h"
#include "weft/ops/slice.h"
#include "weft/ops/softmax.h"

namespace weft::ops {
namespace {

Tensor identity(int64_t size, DType dtype) {
  Tensor out = Tensor::zeros({size, size}, dtype);
  for (int64_t i = 0; i < size; ++i) {
    backend_of(out)(kernels::Fill{.y = out.row_range(i, i + 1).col_range(i, i + 1), .value = 1});
  }
  return out;
}

void check(const Tensor& x, int64_t steps) {
  if (steps < 1) fail<ShapeError>("sinkhorn", "expected a step at least, got {}", steps);
  if (x.cols() > 0 && x.rows() % x.cols() == 0) return;
  fail<ShapeError>("sinkhorn", "expected square matrices below each other, got {}",
                   x.shape().text());
}

}  // namespace

Tensor sinkhorn_composite(const Tensor& x, int64_t steps, Tape* tape) {
  check(x, steps);
  const int64_t size = x.cols();
  const Tensor unit = identity(size, x.dtype());
  const auto transpose = [&](const Tensor& y) { return matmul(y, unit, {.a = true}, tape); };
  std::vector<Tensor> matrices;
  for (int64_t begin = 0; begin < x.rows(); begin += size) {
    Tensor y = slice_rows(x, begin, begin + size, tape);
    for (int64_t step = 0; step < steps; ++step) {
      y = transpose(log_softmax(y, tape));
      const bool is_last = step + 1 == steps;
      y = transpose(is_last ? softmax(y, tape) : log_softmax(y, tape));
    }
    matrices.push_back(y);
  }
  return matrices.empty() ? x : stack_rows(matrices, tape);
}

Tensor sinkhorn(const Tensor& x, int64_t steps, Tape* tape) {
  check(x, steps);
  if (!fused_enabled()) return sinkhorn_composite(x, steps, tape);
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [B*m, m]
  backend_of(x)(kernels::Sinkhorn{.steps = steps, .x = x, .y = y});
  autograd::record(tape, y, {&x}, [x = autograd::save(tape, x), steps](autograd::Backward& b) {
    const Tensor& from = x.get();
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) {
      backend_of(from)(
          kernels::SinkhornBackward{.steps = steps, .x = from, .d_y = d_y, .d_x = d_x});
    });
  });
  return y;
}

}  // namespace weft::ops
