// Rows of the cache of keys and values, and the softmax over them.
#if defined(WEFT_KERNELS_CPU_ATTENTION_CACHED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ATTENTION_CACHED_ROWS_INL_H_
#undef WEFT_KERNELS_CPU_ATTENTION_CACHED_ROWS_INL_H_
#else
#define WEFT_KERNELS_CPU_ATTENTION_CACHED_ROWS_INL_H_
#endif

#include "weft/kernels/cpu/attention/attention_items.h"
#include "weft/kernels/cpu/simd-inl.h"
#include "weft/kernels/ref/score_function.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

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
  for (t = 0; t < padded; t += lanes) top = hn::Max(top, hn::Mul(scale, hn::LoadU(d, y + t)));
  top = hn::MaxOfLanes(d, top);
  auto sum = hn::Zero(d);
  for (t = 0; t < padded; t += lanes) {
    const auto e = exp(d, hn::MulSub(scale, hn::LoadU(d, y + t), top));
    hn::StoreU(e, d, y + t);
    sum = hn::Add(sum, e);
  }
  const auto inverse_sum = hn::Set(d, 1 / sum_lanes(d, sum));
  for (t = 0; t < padded; t += lanes)
    hn::StoreU(hn::Mul(inverse_sum, hn::LoadU(d, y + t)), d, y + t);
}

// The keys of row w that the pattern may allow; where they have no gaps, those that it allows.
HWY_INLINE KeyRange near_keys(const CachedAttention& a, int64_t w) {
  const auto length = std::ssize(a.rows[w]);
  const AttentionPattern& pattern = a.pattern;
  if (!pattern.is_bounded() || !pattern.is_contiguous()) return {0, length};
  const int64_t position = a.position_of(w);
  const int64_t after = (pattern.block_of(position) + pattern.window + 1) * pattern.block;
  const int64_t begin = std::min(pattern.first_key(position), length);
  return {begin, std::clamp(after, begin, length) - begin};
}

// Replaces dot products s by cap * tanh(scale * s / cap). The buffer has whole vectors.
HWY_INLINE void cap_cached_scores(float scale, float cap, Floats scores) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale), limit = hn::Set(d, cap);
  for (int64_t t = 0; t < scores.cols; t += lanes) {
    const auto s = hn::Mul(factor, hn::LoadU(d, scores.data + t));
    hn::StoreU(hn::Mul(limit, tanh(d, hn::Div(s, limit))), d, scores.data + t);
  }
}

// Replaces the dot products of row w and a head, from rows[w][first] on, by probabilities, in
// place. The buffer has whole vectors.
HWY_INLINE void finish_scores(const CachedAttention& a, int64_t w, int64_t head, int64_t first,
                              Floats scores) {
  const auto scale = static_cast<float>(a.scale);
  if (a.is_plain()) return cached_softmax(scale, scores);
  CachedAttention uncapped = a;
  uncapped.soft_cap = 0;
  if (a.soft_cap != 0) {
    cap_cached_scores(scale, static_cast<float>(a.soft_cap), scores);
    if (uncapped.is_plain()) return cached_softmax(1, scores);
  } else {
    for (int64_t t = 0; t < scores.cols; ++t) scores.data[t] *= scale;
  }
  ref::finish_cached(uncapped, w, head, std::span(scores.data, static_cast<size_t>(scores.cols)),
                     first);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_CACHED_ROWS_INL_H_
