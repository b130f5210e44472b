#include "weft/kernels/cpu/rotary.h"

#include <cmath>
#include <vector>

#include "weft/kernels/cpu/position_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/rotary.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Turns `half` features of x and as many behind them by angles whose cosines stand in `turn`, their
// sines behind these.
void turn_part(const View& x, const float* turn, int64_t half, const View& y) {
  with_type(x.dtype, [&]<class T>(T) HWY_ATTR {
    const T* from = x.as<T>().data;
    T* to = y.as<T>().data;
    for_lanes(half, [=](auto d, int64_t f) HWY_ATTR {
      const auto cosine = hn::LoadU(d, turn + f), sine = hn::LoadU(d, turn + half + f);
      const auto first = load(d, from + f), second = load(d, from + half + f);
      store(hn::NegMulAdd(second, sine, hn::Mul(first, cosine)), d, to + f);
      store(hn::MulAdd(first, sine, hn::Mul(second, cosine)), d, to + half + f);
    });
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(turn_part);

namespace {

// Cosines, and behind them sines, of `half` angles for the positions of `rows` rows.
PositionRows turns_of(const Rotary& r, int64_t rows, int64_t half) {
  std::vector<double> rate(static_cast<size_t>(half));
  for (int64_t f = 0; f < half; ++f) {
    rate[f] = std::pow(r.base, -static_cast<double>(f) / static_cast<double>(half));
  }
  const std::span positions(r.position, static_cast<size_t>(rows * r.axes));
  return {positions, 2 * half, [&](int32_t position, float* to) {
            for (int64_t f = 0; f < half; ++f) {
              const double angle = position * rate[f];
              to[f] = static_cast<float>(std::cos(angle));
              to[half + f] = static_cast<float>(r.back ? -std::sin(angle) : std::sin(angle));
            }
          }};
}

}  // namespace

void rotary(const Rotary& r, View x, View y) {
  if (x.rows == 0) return;
  const int64_t size = x.cols / r.heads / r.axes;
  const PositionRows turns = turns_of(r, x.rows, size / 2);
  const auto part_of = [&](const View& rows, int64_t n, int64_t part) {
    return View{rows.at(n, part * size), rows.dtype, 1, size, size};
  };
  parallel_rows(x.rows, x.cols, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      for (int64_t part = 0; part < r.heads * r.axes; ++part) {
        const float* turn = turns.at(r.position[n * r.axes + part % r.axes]);
        HWY_DYNAMIC_DISPATCH(turn_part)
        (part_of(x, n, part), turn, size / 2, part_of(y, n, part));
      }
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
