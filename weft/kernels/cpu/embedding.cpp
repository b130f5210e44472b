#include "weft/kernels/cpu/embedding.h"

#include <cmath>
#include <vector>

#include "weft/kernels/cpu/pack.h"
#include "weft/kernels/cpu/position_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/embedding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// y = scale x + z, rows; z may be null.
void scale_row(float scale, const View& from, const float* z, const View& to) {
  with_type(from.dtype, [&]<class T>(T) HWY_ATTR {
    const T* x = from.as<T>().data;
    T* y = to.as<T>().data;
    for_lanes(to.cols, [=](auto d, int64_t i) HWY_ATTR {
      const auto scaled = hn::Mul(hn::Set(d, scale), load(d, x + i));
      store(z ? hn::Add(scaled, hn::LoadU(d, z + i)) : scaled, d, y + i);
    });
  });
}

void scatter(const int32_t* ids, float scale, View d_y, Floats d_table) {
  with_type(d_y.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t n = 0; n < d_y.rows; ++n) {
      const T* x = d_y.as<T>().row(n);
      float* y = d_table.row(ids[n]);
      for_lanes(d_y.cols, [=](auto d, int64_t i) HWY_ATTR {
        const auto sum = hn::MulAdd(hn::Set(d, scale), load(d, x + i), hn::LoadU(d, y + i));
        hn::StoreU(sum, d, y + i);
      });
    }
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(scale_row);
HWY_EXPORT(scatter);

namespace {

PositionRows sinusoids_of(std::span<const int32_t> positions, int64_t width) {
  std::vector<double> period(static_cast<size_t>((width + 1) / 2));
  for (size_t i = 0; i < period.size(); ++i) {
    period[i] = std::pow(10000.0, static_cast<double>(2 * i) / static_cast<double>(width));
  }
  return {positions, width, [&](double position, float* to) {
            for (int64_t f = 0; f < width; f += 2) {
              const double angle = position / period[static_cast<size_t>(f / 2)];
              to[f] = static_cast<float>(std::sin(angle));
              if (f + 1 < width) to[f + 1] = static_cast<float>(std::cos(angle));
            }
          }};
}

// y[n] = scale * row_of(n) + sinusoid(position[n]).
template <class RowOf>
void look_up(float scale, const int32_t* position, const View& y, RowOf row_of) {
  if (y.rows == 0) return;
  const auto fill = [&](const PositionRows* sinusoids) {
    parallel_rows(y.rows, y.cols, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        const float* added = sinusoids ? sinusoids->at(position[n]) : nullptr;
        HWY_DYNAMIC_DISPATCH(scale_row)(scale, row_of(n), added, y.range(n, n + 1));
      }
    });
  };
  if (!position) return fill(nullptr);
  const PositionRows sinusoids = sinusoids_of({position, static_cast<size_t>(y.rows)}, y.cols);
  fill(&sinusoids);
}

}  // namespace

void embedding(View table, const int32_t* ids, float scale, const int32_t* position, View y) {
  look_up(scale, position, y, [&](int64_t n) { return table.range(ids[n], ids[n] + 1); });
}

void packed_embedding(const Packed& table, const int32_t* ids, float scale, const int32_t* position,
                      View y) {
  look_up(scale, position, y, [&](int64_t n) {
    unpack_row(table, ids[n], y.as<float>().row(n));
    return y.range(n, n + 1);
  });
}

void d_embedding(const int32_t* ids, float scale, View d_y, Floats d_table) {
  // Threads share the columns, so that each row of the table is added to in order.
  if (d_y.rows == 0) return;
  constexpr int64_t kTogether = 64;
  const int64_t grain = kTogether * (1 + kThreadWork / (kTogether * d_y.rows));
  parallel_for(d_y.cols, grain, [=](int64_t begin, int64_t end) {
    const View part{d_y.at(0, begin), d_y.dtype, d_y.rows, end - begin, d_y.stride};
    const Floats to{d_table.data + begin, d_table.rows, end - begin, d_table.stride};
    HWY_DYNAMIC_DISPATCH(scatter)(ids, scale, part, to);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
