#include "weft/ops/rotary.h"

#include <cmath>

#include "weft/kernels/backend.h"
#include "weft/kernels/embedding.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void apply_rotary(const RotaryParams& params, bool inverse, const Tensor& x, const Tensor& y) {
  backend_of(x)(kernels::Rotary{.x = x,
                                .y = y,
                                .position = params.position->data(),
                                .axes = params.axes,
                                .heads = params.heads,
                                .rates = params.frequencies->rates.data(),
                                .magnitude = params.frequencies->magnitude,
                                .inverse = inverse});
}

}  // namespace

RotaryFrequencies rotary_frequencies(double base, int64_t half) {
  RotaryFrequencies out;
  out.rates.reserve(static_cast<size_t>(half));
  for (int64_t f = 0; f < half; ++f) {
    out.rates.push_back(std::pow(base, -static_cast<double>(f) / static_cast<double>(half)));
  }
  return out;
}

Tensor rotary(const Tensor& x, const RotaryParams& params, Tape* tape) {
  if (x.cols() % (2 * params.axes * params.heads) != 0) {
    fail<ShapeError>("rotary", "{} heads of {} parts of two halves do not divide {} columns",
                     params.heads, params.axes, x.cols());
  }
  const int64_t half = x.cols() / (2 * params.axes * params.heads);
  const int64_t rates = params.frequencies ? std::ssize(params.frequencies->rates) : 0;
  if (rates != half) {
    fail<ShapeError>("rotary", "expected {} rates for halves of {} features, got {}", half, half,
                     rates);
  }
  if (std::ssize(*params.position) != x.rows() * params.axes) {
    fail<ShapeError>("rotary", "expected {} positions for {} rows, got {}", x.rows() * params.axes,
                     x.rows(), params.position->size());
  }
  Tensor y = Tensor::empty(x.shape(), x.dtype());  // [N, H*K]
  apply_rotary(params, false, x, y);
  record(tape, y, {&x}, [params](Backward& b) {
    const Tensor d_y = b.d_output();
    b.write(0, [&](const Tensor& d_x) { apply_rotary(params, true, d_y, d_x); });
  });
  return y;
}

}  // namespace weft::ops
