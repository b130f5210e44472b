#include "weft/kernels/cpu/rotary.h"

#include <cmath>
#include <vector>

#include "weft/kernels/cpu/rows.h"

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

// Cosines and sines for the positions that occur, each made once.
class Turns {
 public:
  Turns(const Rotary& r, int64_t rows, int64_t half) : half_(half) {
    const int64_t count = rows * r.axes;
    const auto [low, high] = std::minmax_element(r.position, r.position + count);
    low_ = *low;
    slot_.resize(static_cast<size_t>(*high - *low + 1), -1);
    std::vector<int32_t> used;
    for (int64_t i = 0; i < count; ++i) {
      int64_t& slot = slot_[static_cast<size_t>(r.position[i] - low_)];
      if (slot >= 0) continue;
      slot = std::ssize(used);
      used.push_back(r.position[i]);
    }
    std::vector<double> rate(static_cast<size_t>(half));
    for (int64_t f = 0; f < half; ++f) {
      rate[f] = std::pow(r.base, -static_cast<double>(f) / static_cast<double>(half));
    }
    turns_.resize(used.size() * static_cast<size_t>(2 * half));
    parallel_rows(std::ssize(used), 32 * half, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        float* to = turns_.data() + i * 2 * half;
        for (int64_t f = 0; f < half; ++f) {
          const double angle = used[i] * rate[f];
          to[f] = static_cast<float>(std::cos(angle));
          to[half + f] = static_cast<float>(r.back ? -std::sin(angle) : std::sin(angle));
        }
      }
    });
  }

  const float* at(int32_t position) const {
    return turns_.data() + slot_[static_cast<size_t>(position - low_)] * 2 * half_;
  }

 private:
  int64_t half_;
  int32_t low_ = 0;
  std::vector<int64_t> slot_;
  std::vector<float> turns_;  // [positions, 2 * half]
};

}  // namespace

void rotary(const Rotary& r, View x, View y) {
  if (x.rows == 0) return;
  const int64_t size = x.cols / r.heads / r.axes;
  const Turns turns(r, x.rows, size / 2);
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
