#include "weft/kernels/cpu/additive_attention.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/additive_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// weights = softmax(weights), n of them; a plain loop, since a source is short.
HWY_INLINE void soften(float* weights, int64_t n) {
  if (n == 0) return;
  const float top = max_of(weights, n);
  float sum = 0;
  const OneFloatTag one;
  for (int64_t t = 0; t < n; ++t) {
    weights[t] = hn::GetLane(exp(one, hn::Set(one, weights[t] - top)));
    sum += weights[t];
  }
  for (int64_t t = 0; t < n; ++t) weights[t] /= sum;
}

// `T` is the type of the queries, `Kept` of the keys and values.
template <class T, class Kept>
HWY_INLINE void attend_row(const AdditiveAttention& a, int64_t w) {
  const int64_t begin = a.offsets[w], end = a.offsets[w + 1], size = a.q.cols;
  const T *q = a.q.as<T>().row(w), *v = a.v.as<T>().data;
  float* weights = a.weights.as<float>().data;
  const auto seen = [&](int64_t t) HWY_ATTR { return a.rows.empty() ? t : a.rows[t]; };
  for (int64_t t = begin; t < end; ++t) {
    const Kept* key = a.keys.as<Kept>().row(seen(t));
    weights[t] = sum_over(size, [=](auto d, int64_t i) HWY_ATTR {
      return hn::Mul(load(d, v + i), tanh(d, hn::Add(load(d, q + i), load(d, key + i))));
    });
  }
  soften(weights + begin, end - begin);
  T* out = a.out.as<T>().row(w);
  const Matrix<Kept> values = a.values.as<Kept>();
  for_lanes(a.out.cols, [&](auto d, int64_t i) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (int64_t t = begin; t < end; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), load(d, values.row(seen(t)) + i), sum);
    }
    store(sum, d, out + i);
  });
}

void attend_added(const AdditiveAttention& a, int64_t begin, int64_t end) {
  with_type(a.q.dtype, [&]<class T>(T) HWY_ATTR {
    with_type(a.keys.dtype, [&]<class Kept>(Kept) HWY_ATTR {
      for (int64_t w = begin; w < end; ++w) attend_row<T, Kept>(a, w);
    });
  });
}

// Of one row, over its keys.
struct RowSums {
  float *d_q, *d_v;
};

// What one key of one row gets, and adds to the row's sums.
template <class T>
HWY_INLINE void d_score_row(const AdditiveAttentionGradient& g, int64_t w, int64_t t, float d_score,
                            RowSums sums) {
  float *d_q = sums.d_q, *d_v = sums.d_v;
  const AdditiveAttention& a = g.forward;
  const T *q = a.q.as<T>().row(w), *v = a.v.as<T>().data, *key = a.keys.as<T>().row(t);
  T* d_key = g.d_keys.as<T>().row(t);
  for_lanes(a.q.cols, [=](auto d, int64_t i) HWY_ATTR {
    const auto s = hn::Set(d, d_score);
    const auto y = tanh(d, hn::Add(load(d, q + i), load(d, key + i)));
    const auto slope = hn::NegMulAdd(y, y, hn::Set(d, 1.0f));
    const auto d_sum = hn::Mul(hn::Mul(s, load(d, v + i)), slope);
    store(d_sum, d, d_key + i);
    store(hn::Add(load(d, d_q + i), d_sum), d, d_q + i);
    store(hn::MulAdd(s, y, load(d, d_v + i)), d, d_v + i);
  });
}

template <class T>
HWY_INLINE void d_attend_row(const AdditiveAttentionGradient& g, int64_t w) {
  const AdditiveAttention& a = g.forward;
  const int64_t begin = a.offsets[w], end = a.offsets[w + 1], size = a.q.cols;
  const float* weights = a.weights.as<float>().data;
  const T* d_out = g.d_out.as<T>().row(w);
  Scratch scratch;
  float* d_weights = scratch.take(end - begin);
  float* d_q = scratch.take(size);
  float* d_v = g.d_v.as<float>().row(w);
  std::fill(d_q, d_q + size, 0.0f);
  std::fill(d_v, d_v + size, 0.0f);
  float mean = 0;
  for (int64_t t = begin; t < end; ++t) {
    const T* value = a.values.as<T>().row(t);
    T* d_value = g.d_values.as<T>().row(t);
    const float share = weights[t];
    d_weights[t - begin] = sum_over(g.d_out.cols, [=](auto d, int64_t i) HWY_ATTR {
      const auto above = load(d, d_out + i);
      store(hn::Mul(hn::Set(d, share), above), d, d_value + i);
      return hn::Mul(above, load(d, value + i));
    });
    mean += share * d_weights[t - begin];
  }
  for (int64_t t = begin; t < end; ++t) {
    d_score_row<T>(g, w, t, weights[t] * (d_weights[t - begin] - mean), {d_q, d_v});
  }
  T* to = g.d_q.as<T>().row(w);
  for_lanes(size, [=](auto d, int64_t i) HWY_ATTR { store(load(d, d_q + i), d, to + i); });
}

void d_attend_added(const AdditiveAttentionGradient& g, int64_t begin, int64_t end) {
  with_type(g.forward.q.dtype, [&]<class T>(T) HWY_ATTR {
    for (int64_t w = begin; w < end; ++w) d_attend_row<T>(g, w);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_added);
HWY_EXPORT(d_attend_added);

namespace {

// Elements that one row's attention touches, on average.
int64_t row_work(const AdditiveAttention& a) {
  return a.offsets[a.q.rows] * (8 * a.q.cols + a.out.cols) / std::max<int64_t>(1, a.q.rows);
}

}  // namespace

void additive_attention(const AdditiveAttention& a) {
  parallel_rows(a.q.rows, row_work(a), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(attend_added)(a, begin, end);
  });
}

void d_additive_attention(const AdditiveAttentionGradient& g) {
  parallel_rows(g.forward.q.rows, 2 * row_work(g.forward), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(d_attend_added)(g, begin, end);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
