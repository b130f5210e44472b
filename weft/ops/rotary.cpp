#include "weft/ops/rotary.h"

#include <algorithm>
#include <cmath>

#include "weft/core/parallel.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/embedding.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

void apply_rotary(const RotaryParams& params, bool inverse, const Tensor& x, const Tensor& y) {
  const RotaryAngles& angles = *params.angles;
  backend_of(x)(kernels::Rotary{.x = x,
                                .y = y,
                                .angles = x.dtype() == DType::kF64 ? angles.exact : angles.rounded,
                                .angle_rows = angles.rows.data(),
                                .axes = angles.axes,
                                .heads = params.heads,
                                .inverse = inverse});
}

// Writes the cosines, then the sines, of the angles at a position.
void fill_angles(int32_t position, const RotaryFrequencies& frequencies, double* to) {
  const size_t half = frequencies.rates.size();
  for (size_t f = 0; f < half; ++f) {
    const double angle = position * frequencies.rates[f];
    to[f] = frequencies.magnitude * std::cos(angle);
    to[half + f] = frequencies.magnitude * std::sin(angle);
  }
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

RotaryAnglesPtr rotary_angles(std::span<const int32_t> position, int64_t axes,
                              const RotaryFrequencies& frequencies) {
  auto out = std::make_shared<RotaryAngles>();
  std::vector<int32_t> distinct(position.begin(), position.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  out->axes = axes;
  out->rows.reserve(position.size());
  for (const int32_t p : position) {
    const auto found = std::ranges::lower_bound(distinct, p);
    out->rows.push_back(static_cast<int32_t>(found - distinct.begin()));
  }
  const auto half = std::ssize(frequencies.rates);
  out->exact = Tensor::empty({std::ssize(distinct), 2 * half}, DType::kF64);
  constexpr int64_t kThreadAngles = 512;
  const int64_t grain = kThreadAngles / std::max<int64_t>(half, 1) + 1;
  parallel_for(std::ssize(distinct), grain, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      fill_angles(distinct[static_cast<size_t>(p)], frequencies,
                  out->exact.row_range(p, p + 1).span<double>().data());
    }
  });
  out->rounded = out->exact.to(DType::kF32);
  out->magnitude = frequencies.magnitude;
  return out;
}

Tensor rotary(const Tensor& x, const RotaryParams& params, Tape* tape) {
  const RotaryAngles& angles = *params.angles;
  if (x.cols() % (2 * angles.axes * params.heads) != 0) {
    fail<ShapeError>("rotary", "{} heads of {} parts of two halves do not divide {} columns",
                     params.heads, angles.axes, x.cols());
  }
  const int64_t half = x.cols() / (2 * angles.axes * params.heads);
  if (angles.exact.cols() != 2 * half) {
    fail<ShapeError>("rotary", "expected {} rates for halves of {} features, got {}", half, half,
                     angles.exact.cols() / 2);
  }
  if (std::ssize(angles.rows) != x.rows() * angles.axes) {
    fail<ShapeError>("rotary", "expected {} positions for {} rows, got {}", x.rows() * angles.axes,
                     x.rows(), angles.rows.size());
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
