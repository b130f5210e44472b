#include <cmath>
#include <limits>
#include <numbers>

#include "weft/kernels/ref/score_function.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/cached_attention.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/attention_items.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

constexpr int64_t kMaxPrefetchHypotheses = 4;

// out = sum over t of weights[t] * rows[t], for the columns from `begin` on.
template <class T>
HWY_INLINE void weighted_sum(const float* weights, const T* const* rows, int64_t length,
                             int64_t begin, Floats out) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float* y = out.data;
  int64_t f = 0;
  for (; f + 4 * lanes <= out.cols; f += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t t = 0; t < length; ++t) {
      const auto w = hn::Set(d, weights[t]);
      const T* x = rows[t] + begin + f;
      s0 = hn::MulAdd(w, load(d, x), s0);
      s1 = hn::MulAdd(w, load(d, x + lanes), s1);
      s2 = hn::MulAdd(w, load(d, x + 2 * lanes), s2);
      s3 = hn::MulAdd(w, load(d, x + 3 * lanes), s3);
    }
    hn::StoreU(s0, d, y + f);
    hn::StoreU(s1, d, y + f + lanes);
    hn::StoreU(s2, d, y + f + 2 * lanes);
    hn::StoreU(s3, d, y + f + 3 * lanes);
  }
  for_lanes(out.cols - f, [&](auto tag, int64_t i) HWY_ATTR {
    auto sum = hn::Zero(tag);
    for (int64_t t = 0; t < length; ++t) {
      sum = hn::MulAdd(hn::Set(tag, weights[t]), load(tag, rows[t] + begin + f + i), sum);
    }
    hn::StoreU(sum, tag, y + f + i);
  });
}

// Dot products x . rows[i] of kCount rows.
template <int kCount, class T>
HWY_INLINE void dots(Floats x, const T* const* rows, int64_t begin, float* out) {
  const FloatTag d;
  const OneFloatTag one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<FloatTag> sums[kCount];
  hn::Vec<OneFloatTag> rest[kCount];
  for (int i = 0; i < kCount; ++i) sums[i] = hn::Zero(d), rest[i] = hn::Zero(one);
  int64_t f = 0;
  for (; f + lanes <= x.cols; f += lanes) {
    const auto v = hn::LoadU(d, x.data + f);
    for (int i = 0; i < kCount; ++i) sums[i] = hn::MulAdd(v, load(d, rows[i] + begin + f), sums[i]);
  }
  for (; f < x.cols; ++f) {
    const auto v = hn::LoadU(one, x.data + f);
    for (int i = 0; i < kCount; ++i)
      rest[i] = hn::MulAdd(v, load(one, rows[i] + begin + f), rest[i]);
  }
  for (int i = 0; i < kCount; ++i) out[i] = sum_lanes(d, sums[i]) + hn::GetLane(rest[i]);
}

// scores[t] = x . rows[t].
template <class T>
HWY_INLINE void cached_scores(Floats x, const T* const* rows, int64_t begin, Floats scores) {
  int64_t t = 0;
  for (; t + 4 <= scores.cols; t += 4) dots<4>(x, rows + t, begin, scores.data + t);
  for (; t < scores.cols; ++t) dots<1>(x, rows + t, begin, scores.data + t);
}

// The softmax of alpha * weights, in place. The buffer has whole vectors.
HWY_INLINE void cached_softmax(float alpha, Floats weights) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t length = weights.cols, padded = (length + lanes - 1) / lanes * lanes;
  float* y = weights.data;
  int64_t t = length;
  for (; t < padded; ++t) y[t] = -std::numeric_limits<float>::infinity();
  const auto scale = hn::Set(d, alpha);
  auto top = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (t = 0; t < padded; t += lanes) top = hn::Max(top, hn::Mul(scale, hn::Load(d, y + t)));
  top = hn::MaxOfLanes(d, top);
  auto sum = hn::Zero(d);
  for (t = 0; t < padded; t += lanes) {
    const auto e = exp(d, hn::MulSub(scale, hn::Load(d, y + t), top));
    hn::Store(e, d, y + t);
    sum = hn::Add(sum, e);
  }
  const auto inverse_sum = hn::Set(d, 1 / sum_lanes(d, sum));
  for (t = 0; t < padded; t += lanes) hn::Store(hn::Mul(inverse_sum, hn::Load(d, y + t)), d, y + t);
}

// Prefetches `size` columns from `begin` of all rows, which are scattered in the cache.
template <class T>
HWY_INLINE void prefetch_columns(const T* const* rows, int64_t length, int64_t begin,
                                 int64_t size) {
  for (int64_t t = 0; t < length; ++t) {
    for (int64_t f = 0; f < size; f += 64 / sizeof(T)) hwy::Prefetch(rows[t] + begin + f);
  }
}

// One hypothesis with several heads, so that its rows are looked up once.
template <class T>
HWY_INLINE void attend_rows(const CachedAttention& a, int64_t w, int64_t head_begin,
                            int64_t head_end) {
  const Floats q = a.q.as<float>(), out = a.out.as<float>();
  const Matrix<T> keys = a.keys.as<T>(), values = a.values.as<T>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  const int32_t* rows = a.rows.data() + a.offsets[w];
  const int64_t length = a.offsets[w + 1] - a.offsets[w];
  Scratch scratch;
  float* weights = scratch.allocate(length);
  // A pointer takes the space of two floats.
  auto** key_rows = reinterpret_cast<const T**>(scratch.allocate(2 * length));
  auto** value_rows = reinterpret_cast<const T**>(scratch.allocate(2 * length));
  for (int64_t t = 0; t < length; ++t) {
    key_rows[t] = keys.row(rows[t]);
    value_rows[t] = values.row(rows[t]);
  }
  if (q.rows <= kMaxPrefetchHypotheses) {  // otherwise most rows are cached already
    const int64_t first = a.key_head_of(head_begin), end = a.key_head_of(head_end - 1) + 1;
    prefetch_columns(key_rows, length, first * size, (end - first) * size);
    prefetch_columns(value_rows, length, first * value_size, (end - first) * value_size);
  }
  for (int64_t h = head_begin; h < head_end; ++h) {
    const int64_t group = a.key_head_of(h);
    const Floats row{weights, 1, length, length};
    cached_scores({q.row(w) + h * size, 1, size, size}, key_rows, group * size, row);
    if (a.is_plain()) {
      cached_softmax(static_cast<float>(a.scale), row);
    } else {
      for (int64_t t = 0; t < length; ++t) weights[t] *= static_cast<float>(a.scale);
      ref::finish_cached(a, w, h, std::span(weights, static_cast<size_t>(length)));
    }
    weighted_sum(weights, value_rows, length, group * value_size,
                 {out.row(w) + h * value_size, 1, value_size, value_size});
    if (a.weights == nullptr) continue;
    float* mean = a.weights + a.offsets[w];
    const float head_weight = 1 / static_cast<float>(a.heads);
    for (int64_t t = 0; t < length; ++t)
      mean[t] = (h == 0 ? 0 : mean[t]) + weights[t] * head_weight;
  }
}

void attend_cached(const CachedAttention& a, int64_t w, int64_t head_begin, int64_t head_end) {
  with_type(a.keys.dtype, [&]<class T>(T) HWY_ATTR { attend_rows<T>(a, w, head_begin, head_end); });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_cached);

void run(const CachedAttention& a) {
  if (!is_float(a.q)) return ref::run(a);
  // Parallel over heads for few rows, over rows for many.
  const int64_t rows = a.q.rows;
  const int64_t by_head = rows < 2 * threads() && a.weights == nullptr ? a.heads : 1;
  const int64_t heads = a.heads / by_head;
  const int64_t length = rows == 0 ? 0 : a.offsets[rows] / rows;  // on average
  const int64_t work = length * (a.q.cols + a.out.cols) / by_head + 1;
  const auto body = HWY_DYNAMIC_DISPATCH(attend_cached);
  parallel_for(rows * by_head, std::max<int64_t>(1, 4 * kThreadWork / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t h = i % by_head * heads;
                   body(a, i / by_head, h, h + heads);
                 }
               });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
