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

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const int8_t* x) {
  const hn::Rebind<int8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, x)));
}

// Calls body with a value of the type of cached rows.
template <class Body>
HWY_INLINE void with_cached_type(DType type, Body body) {
  if (type == DType::kI8) return body(int8_t());
  with_type(type, body);
}

// weights[t] * the scale of a head of rows[t], of rows of int8.
HWY_INLINE void multiply_by_scales(const float* weights, const int8_t* const* rows, int64_t cols,
                                   int64_t head, Floats out) {
  for (int64_t t = 0; t < out.cols; ++t) {
    out.data[t] = weights[t] * PagedRows::scale_of(rows[t], cols, head);
  }
}

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

// The keys of row w that the pattern may allow: of a window without global positions those near its
// position.
HWY_INLINE KeyRange near_keys(const CachedAttention& a, int64_t w) {
  const auto length = std::ssize(a.rows[w]);
  const AttentionPattern& pattern = a.pattern;
  if (!pattern.is_bounded() || pattern.global > 0 || pattern.is_grid) return {0, length};
  const int64_t block = pattern.block_of(a.position_of(w));
  const int64_t begin = std::clamp<int64_t>((block - pattern.window) * pattern.block, 0, length);
  const int64_t end = std::clamp((block + pattern.window + 1) * pattern.block, begin, length);
  return {begin, end - begin};
}

// One hypothesis with several heads, so that its rows are looked up once.
template <class T>
HWY_INLINE void attend_rows(const CachedAttention& a, int64_t w, int64_t head_begin,
                            int64_t head_end) {
  constexpr bool kIsScaled = std::is_same_v<T, int8_t>;
  const Floats q = a.q.as<float>(), out = a.out.as<float>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  const auto [first_key, length] = near_keys(a, w);
  const std::span<const int32_t> rows =
      a.rows[w].subspan(static_cast<size_t>(first_key), static_cast<size_t>(length));
  if (!a.weights.empty()) std::fill_n(a.weights[w], a.rows[w].size(), 0.0f);
  Scratch scratch;
  float* weights = scratch.allocate(length);
  float* scaled = kIsScaled ? scratch.allocate(length) : weights;
  // A pointer takes the space of two floats.
  auto** key_rows = reinterpret_cast<const T**>(scratch.allocate(2 * length));
  auto** value_rows = reinterpret_cast<const T**>(scratch.allocate(2 * length));
  for (int64_t t = 0; t < length; ++t) {
    key_rows[t] = a.keys.row<T>(rows[t]);
    value_rows[t] = a.values.row<T>(rows[t]);
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
    if constexpr (kIsScaled) multiply_by_scales(weights, key_rows, a.groups() * size, group, row);
    if (a.is_plain()) {
      cached_softmax(static_cast<float>(a.scale), row);
    } else {
      for (int64_t t = 0; t < length; ++t) weights[t] *= static_cast<float>(a.scale);
      ref::finish_cached(a, w, h, std::span(weights, static_cast<size_t>(length)), first_key);
    }
    if constexpr (kIsScaled) {
      multiply_by_scales(weights, value_rows, a.groups() * value_size, group,
                         {scaled, 1, length, length});
    }
    weighted_sum(scaled, value_rows, length, group * value_size,
                 {out.row(w) + h * value_size, 1, value_size, value_size});
    if (a.weights.empty()) continue;
    float* mean = a.weights[w] + first_key;
    const float head_weight = 1 / static_cast<float>(a.end_head() - a.first_head());
    for (int64_t t = 0; t < length; ++t) mean[t] += weights[t] * head_weight;
  }
}

void attend_cached(const CachedAttention& a, int64_t w, int64_t head_begin, int64_t head_end) {
  with_cached_type(a.keys.dtype(),
                   [&]<class T>(T) HWY_ATTR { attend_rows<T>(a, w, head_begin, head_end); });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_cached);

void run(const CachedAttention& a) {
  if (!is_float(a.q)) return ref::run(a);
  // Parallel over heads for few rows, over rows for many.
  const int64_t rows = a.q.rows, all_heads = a.end_head() - a.first_head();
  const int64_t by_head = rows < 2 * threads() && a.weights.empty() ? all_heads : 1;
  const int64_t heads = all_heads / by_head;
  int64_t length = 0;  // on average
  for (const auto& attended : a.rows) length += std::ssize(attended);
  length /= std::max<int64_t>(rows, 1);
  const int64_t work = length * (a.q.cols + a.out.cols) / by_head + 1;
  const auto body = HWY_DYNAMIC_DISPATCH(attend_cached);
  parallel_for(rows * by_head, std::max<int64_t>(1, 4 * kThreadWork / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t h = a.first_head() + i % by_head * heads;
                   body(a, i / by_head, h, h + heads);
                 }
               });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
