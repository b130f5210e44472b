#include <algorithm>
#include <functional>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/cached_attention.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/prompt_attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

constexpr int64_t kMaxPrefetchHypotheses = 4;

// weights[t] * the scale of a head of rows[t], of rows of int8.
HWY_INLINE void multiply_by_scales(const float* weights, const int8_t* const* rows, int64_t cols,
                                   int64_t head, Floats out) {
  for (int64_t t = 0; t < out.cols; ++t) {
    out.data[t] = weights[t] * PagedRows::scale_of(rows[t], cols, head);
  }
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
    finish_scores(a, w, h, first_key, row);
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

// Attends with the heads [head_begin, head_end) of rows [begin, end).
void attend_cached(const CachedAttention& a, int64_t begin, int64_t end, int64_t head_begin,
                   int64_t head_end) {
  with_cached_type(a.keys.dtype(), [&]<class T>(T) HWY_ATTR {
#if HWY_MAX_BYTES == 64
    if (end - begin > 1 && fits_panels(a)) return attend_prompt<T>(a, begin, end, head_begin);
#endif
    for (int64_t w = begin; w < end; ++w) attend_rows<T>(a, w, head_begin, head_end);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_cached);

namespace {

// Rows of a prompt, which share a list of keys, with the heads of a key head.
struct PromptItem {
  int64_t begin, end, key_head;
};

constexpr int64_t kPromptRows = 64;  // of an item

// Whether a row attends to what the one before it attends to, or to more of the same list.
bool continues(std::span<const int32_t> before, std::span<const int32_t> row) {
  return row.data() == before.data() && row.size() >= before.size();
}

// Items of several rows, or none where no rows share a list. The longest come first.
std::vector<PromptItem> prompt_items(const CachedAttention& a) {
  if (!a.weights.empty() || a.only_head >= 0) return {};
  if (std::ranges::adjacent_find(a.rows, continues) == a.rows.end()) return {};
  std::vector<PromptItem> out;
  for (int64_t begin = 0, end = 0; begin < a.q.rows; begin = end) {
    do ++end;
    while (end < a.q.rows && end - begin < kPromptRows && continues(a.rows[end - 1], a.rows[end]));
    for (int64_t g = 0; g < a.groups(); ++g) out.push_back({begin, end, g});
  }
  std::ranges::stable_sort(out, std::greater<>(), [&](const PromptItem& item) {
    return (item.end - item.begin) * std::ssize(a.rows[item.end - 1]);
  });
  return out;
}

}  // namespace

void run(const CachedAttention& a) {
  if (!is_float(a.q)) return ref::run(a);
  const auto body = HWY_DYNAMIC_DISPATCH(attend_cached);
  int64_t length = 0;  // of all rows
  for (const auto& attended : a.rows) length += std::ssize(attended);
  if (const std::vector<PromptItem> items = prompt_items(a); !items.empty()) {
    const int64_t group = a.heads / a.groups();
    for_each_item(items, length * (a.q.cols + a.out.cols), [&](const PromptItem& item) {
      body(a, item.begin, item.end, item.key_head * group, (item.key_head + 1) * group);
    });
    return;
  }
  // Parallel over heads for few rows, over rows for many.
  const int64_t rows = a.q.rows, all_heads = a.end_head() - a.first_head();
  const int64_t by_head = rows < 2 * threads() && a.weights.empty() ? all_heads : 1;
  const int64_t heads = all_heads / by_head;
  const int64_t work = length / std::max<int64_t>(rows, 1) * (a.q.cols + a.out.cols) / by_head + 1;
  parallel_for(rows * by_head, std::max<int64_t>(1, 4 * kThreadWork / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t h = a.first_head() + i % by_head * heads, w = i / by_head;
                   body(a, w, w + 1, h, h + heads);
                 }
               });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
