#include "weft/kernels/cpu/divergence.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/divergence.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The logits of one row, scaled and with their log normaliser: log_softmax at i is
// (x[i] - top) * scale - log_sum.
template <class T>
struct LogRow {
  const T* x;
  float top, scale, log_sum;

  LogRow(const T* logits, int64_t n, float inverse_temperature)
      : x(logits), top(max_of(logits, n)), scale(inverse_temperature), log_sum(0) {
    const float sum = sum_over(n, [this](auto d, int64_t i) HWY_ATTR { return exp(d, at(d, i)); });
    log_sum = std::log(sum);
  }
  template <class D>
  HWY_INLINE hn::Vec<D> at(D d, int64_t i) const {
    const auto shifted = hn::Sub(load(d, x + i), hn::Set(d, top));
    return hn::Sub(hn::Mul(shifted, hn::Set(d, scale)), hn::Set(d, log_sum));
  }
};

template <class T>
HWY_INLINE void divergence_row(const Divergence& c, int64_t row) {
  const int64_t width = c.x.cols;
  const auto scale = static_cast<float>(1 / c.temperature);
  const LogRow<T> p(c.x.as<T>().row(row), width, scale), t(c.z.as<T>().row(row), width, scale);
  const float loss = sum_over(width, [=](auto d, int64_t i) HWY_ATTR {
    const auto log_t = t.at(d, i);
    return hn::Mul(exp(d, log_t), hn::Sub(log_t, p.at(d, i)));
  });
  c.loss[row] = loss;
  const float weight =
      static_cast<float>(c.weight) * (c.row_weights ? c.row_weights[row] : 1) * scale;
  if (c.d_x) {
    T* to = c.d_x.as<T>().row(row);
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto apart = hn::Sub(exp(d, p.at(d, i)), exp(d, t.at(d, i)));
      store(hn::MulAdd(apart, hn::Set(d, weight), load(d, to + i)), d, to + i);
    });
  }
  if (c.d_z) {
    T* to = c.d_z.as<T>().row(row);
    for_lanes(width, [=](auto d, int64_t i) HWY_ATTR {
      const auto log_t = t.at(d, i);
      const auto apart = hn::Sub(hn::Sub(log_t, p.at(d, i)), hn::Set(d, loss));
      const auto share = hn::Mul(exp(d, log_t), hn::Set(d, weight));
      store(hn::MulAdd(share, apart, load(d, to + i)), d, to + i);
    });
  }
}

void divergence_rows(const Divergence& c, int64_t begin, int64_t end) {
  with_type(c.x.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t row = begin; row < end; ++row) divergence_row<T>(c, row);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(divergence_rows);

void divergence(const Divergence& c) {
  parallel_rows(c.x.rows, 4 * c.x.cols, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(divergence_rows)(c, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
