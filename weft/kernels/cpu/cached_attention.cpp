#include <cmath>
#include <numbers>

#include "weft/kernels/cpu/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/cached_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention_items.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// out = sum over t of weights[t] * rows[t], `size` columns.
HWY_INLINE void weighted_sum(const float* weights, const float* const* rows, int64_t length,
                             int64_t at, Floats out) {
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  float* y = out.data;
  int64_t f = 0;
  for (; f + 4 * lanes <= out.cols; f += 4 * lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t t = 0; t < length; ++t) {
      const auto w = hn::Set(d, weights[t]);
      const float* x = rows[t] + at + f;
      s0 = hn::MulAdd(w, hn::LoadU(d, x), s0);
      s1 = hn::MulAdd(w, hn::LoadU(d, x + lanes), s1);
      s2 = hn::MulAdd(w, hn::LoadU(d, x + 2 * lanes), s2);
      s3 = hn::MulAdd(w, hn::LoadU(d, x + 3 * lanes), s3);
    }
    hn::StoreU(s0, d, y + f);
    hn::StoreU(s1, d, y + f + lanes);
    hn::StoreU(s2, d, y + f + 2 * lanes);
    hn::StoreU(s3, d, y + f + 3 * lanes);
  }
  for_lanes(out.cols - f, [&](auto tag, int64_t i) HWY_ATTR {
    auto sum = hn::Zero(tag);
    for (int64_t t = 0; t < length; ++t) {
      sum = hn::MulAdd(hn::Set(tag, weights[t]), hn::LoadU(tag, rows[t] + at + f + i), sum);
    }
    hn::StoreU(sum, tag, y + f + i);
  });
}

// scores[t] = alpha * x . rows[t], and the softmax of them.
HWY_INLINE void cached_weights(Floats x, const float* const* rows, int64_t at, float alpha,
                               Floats scores) {
  for (int64_t t = 0; t < scores.cols; ++t) {
    const float* y = rows[t] + at;
    scores.data[t] = alpha * sum_over(x.cols, [&](auto d, int64_t i) HWY_ATTR {
                       return hn::Mul(hn::LoadU(d, x.data + i), hn::LoadU(d, y + i));
                     });
  }
  const float top = max_of(scores.data, scores.cols);
  const float sum = sum_over(scores.cols, [&](auto d, int64_t i) HWY_ATTR {
    const auto e = exp(d, hn::Sub(hn::LoadU(d, scores.data + i), hn::Set(d, top)));
    hn::StoreU(e, d, scores.data + i);
    return e;
  });
  for_lanes(scores.cols, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, scores.data + i), hn::Set(d, 1 / sum)), d, scores.data + i);
  });
}

// One hypothesis: all its heads, so that the rows of its ancestors are looked up once.
void attend_cached(const CachedAttention& a, int64_t w, int64_t head_begin, int64_t head_end) {
  const Floats q = a.q.as<float>(), out = a.out.as<float>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  Scratch scratch;
  float* weights = scratch.take(a.length);
  // Pointers fill two floats each.
  auto** keys = reinterpret_cast<const float**>(scratch.take(2 * a.length));
  auto** values = reinterpret_cast<const float**>(scratch.take(2 * a.length));
  for (int64_t t = 0; t < a.length; ++t) {
    const int64_t row = t * a.slab_rows + a.ancestors[t * q.rows + w];
    keys[t] = a.keys.as<float>().row(row);
    values[t] = a.values.as<float>().row(row);
  }
  for (int64_t h = head_begin; h < head_end; ++h) {
    cached_weights({q.row(w) + h * size, 1, size, size}, keys, h * size,
                   static_cast<float>(a.scale), {weights, 1, a.length, a.length});
    weighted_sum(weights, values, a.length, h * value_size,
                 {out.row(w) + h * value_size, 1, value_size, value_size});
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_cached);

void cached_attention(const CachedAttention& a) {
  // Few rows are shared out by head, many by row.
  const int64_t rows = a.q.rows, by_head = rows < 2 * threads() ? a.heads : 1;
  const int64_t heads = a.heads / by_head;
  const int64_t work = a.length * (a.q.cols + a.out.cols) / by_head + 1;
  const auto body = HWY_DYNAMIC_DISPATCH(attend_cached);
  parallel_for(rows * by_head, std::max<int64_t>(1, kThreadWork / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t h = i % by_head * heads;
                   body(a, i / by_head, h, h + heads);
                 }
               });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
