#include "weft/ops/rotary.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

kernels::Rotary describe(const RotaryRule& rule, bool back) {
  return {.position = rule.position->data(),
          .axes = rule.axes,
          .heads = rule.heads,
          .base = rule.base,
          .back = back};
}

}  // namespace

Tensor rotary(const Tensor& x, const RotaryRule& rule, Tape* tape) {
  if (x.cols() % (2 * rule.axes * rule.heads) != 0) {
    fail<ShapeError>("rotary", "{} heads of {} parts of two halves do not divide {} columns",
                     rule.heads, rule.axes, x.cols());
  }
  if (std::ssize(*rule.position) != x.rows() * rule.axes) {
    fail<ShapeError>("rotary", "expected {} positions for {} rows, got {}", x.rows() * rule.axes,
                     x.rows(), rule.position->size());
  }
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, H*K]
  backend_of(x).rotary(describe(rule, false), x, y);
  record(tape, y, {&x}, [rule](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { backend_of(d_y).rotary(describe(rule, true), d_y, d_x); });
  });
  return y;
}

}  // namespace weft::ops
