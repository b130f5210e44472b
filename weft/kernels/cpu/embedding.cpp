#include "weft/kernels/embedding.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "weft/kernels/cpu/products/packed_rows.h"
#include "weft/kernels/packed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/embedding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// y = scale x + z for one row; z may be null.
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

// Rotates the pairs (x[f], x[half + f]) by angles with cosines angle[f] and sines angle[half + f].
template <bool kInverse, class T>
HWY_INLINE void rotate_part(const T* x, const float* angle, int64_t half, T* y) {
  for_lanes(half, [=](auto d, int64_t f) HWY_ATTR {
    const auto cosine = hn::LoadU(d, angle + f), sine = hn::LoadU(d, angle + half + f);
    const auto first = load(d, x + f), second = load(d, x + half + f);
    const auto to_first = hn::Mul(first, cosine), to_second = hn::Mul(second, cosine);
    if constexpr (kInverse) {
      store(hn::MulAdd(second, sine, to_first), d, y + f);
      store(hn::NegMulAdd(first, sine, to_second), d, y + half + f);
    } else {
      store(hn::NegMulAdd(second, sine, to_first), d, y + f);
      store(hn::MulAdd(first, sine, to_second), d, y + half + f);
    }
  });
}

template <bool kInverse, class T>
HWY_NOINLINE void rotate_rows(const Rotary& r, int64_t begin, int64_t end) {
  const Matrix<T> x = r.x.as<T>(), y = r.y.as<T>();
  const Floats angles = r.angles.as<float>();
  const int64_t size = x.cols / r.heads / r.axes, half = size / 2;
  for (int64_t n = begin; n < end; ++n) {
    const T* from = x.row(n);
    T* to = y.row(n);
    for (int64_t head = 0; head < r.heads; ++head) {
      for (int64_t axis = 0; axis < r.axes; ++axis, from += size, to += size) {
        rotate_part<kInverse>(from, angles.row(r.angle_rows[n * r.axes + axis]), half, to);
      }
    }
  }
}

void rotate(const Rotary& r, int64_t begin, int64_t end) {
  with_type(r.x.dtype, [&]<class T>(T) HWY_ATTR {
    r.inverse ? rotate_rows<true, T>(r, begin, end) : rotate_rows<false, T>(r, begin, end);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(scale_row);
HWY_EXPORT(scatter);
HWY_EXPORT(rotate);

namespace {

// A row of floats for each distinct position, computed once.
class PositionRows {
 public:
  // fill(position, to) writes a row of `width` floats.
  template <class Fill>
  PositionRows(std::span<const int32_t> positions, int64_t width, const Fill& fill)
      : width_(width) {
    const auto [low, high] = std::ranges::minmax(positions);
    low_ = low;
    slot_.resize(static_cast<size_t>(high - low + 1), -1);
    std::vector<int32_t> used;
    for (const int32_t position : positions) {
      int64_t& slot = slot_[static_cast<size_t>(position - low_)];
      if (slot >= 0) continue;
      slot = std::ssize(used);
      used.push_back(position);
    }
    rows_.resize(used.size() * static_cast<size_t>(width));
    constexpr int64_t kAngleWork = 16;
    parallel_rows(std::ssize(used), kAngleWork * width, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fill(used[i], rows_.data() + i * width);
    });
  }

  const float* at(int32_t position) const {
    return rows_.data() + slot_[static_cast<size_t>(position - low_)] * width_;
  }

 private:
  int64_t width_;
  int32_t low_ = 0;
  std::vector<int64_t> slot_;
  std::vector<float> rows_;
};

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
template <class K, class RowOf>
void look_up(const K& k, RowOf row_of) {
  const int32_t* position = k.position;
  const View& y = k.y;
  const auto scale = static_cast<float>(k.scale);
  if (y.rows == 0) return;
  const auto fill = [&](const PositionRows* sinusoids) {
    for_each_row(y.rows, y.cols, [&](int64_t n) {
      const float* added = sinusoids ? sinusoids->at(position[n]) : nullptr;
      HWY_DYNAMIC_DISPATCH(scale_row)(scale, row_of(n), added, y.range(n, n + 1));
    });
  };
  if (!position) return fill(nullptr);
  const PositionRows sinusoids = sinusoids_of({position, static_cast<size_t>(y.rows)}, y.cols);
  fill(&sinusoids);
}

}  // namespace

void run(const Embedding& k) {
  if (!is_fast(k.table)) return ref::run(k);
  look_up(k, [&](int64_t n) { return k.table.range(k.ids[n], k.ids[n] + 1); });
}

void run(const PackedEmbedding& k) {
  if (!is_float(k.y) || !is_packable(k.table.type)) return ref::run(k);
  look_up(k, [&](int64_t n) {
    unpack_row(k.table, k.ids[n], k.y.as<float>().row(n));
    return k.y.range(n, n + 1);
  });
}

void run(const EmbeddingBackward& k) {
  const View &d_y = k.d_y, &d_table = k.d_table;
  if (!is_fast(d_y)) return ref::run(k);
  // Parallel over columns, so that each table row is accumulated in order.
  if (d_y.rows == 0) return;
  constexpr int64_t kTogether = 64;
  const int64_t grain = kTogether * (1 + kThreadWork / (kTogether * d_y.rows));
  parallel_for(d_y.cols, grain, [&](int64_t begin, int64_t end) {
    const View part{d_y.at(0, begin), d_y.dtype, d_y.rows, end - begin, d_y.stride};
    const Floats to{d_table.as<float>().data + begin, d_table.rows, end - begin, d_table.stride};
    HWY_DYNAMIC_DISPATCH(scatter)(k.ids, static_cast<float>(k.scale), part, to);
  });
}

void run(const Rotary& r) {
  if (!is_fast(r.x)) return ref::run(r);
  parallel_rows(r, r.x.rows, r.x.cols, HWY_DYNAMIC_DISPATCH(rotate));
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
