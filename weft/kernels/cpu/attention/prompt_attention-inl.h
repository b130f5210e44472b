// Attention of several rows of a prompt, which share a list of keys; each row has the bits that it
// has alone.
#if defined(WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_
#undef WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_
#else
#define WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_
#endif

#include <array>
#include <type_traits>

#include "weft/kernels/cpu/attention/cached_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

constexpr int kPromptTile = 4;  // queries at a time
constexpr int64_t kPanelKeys = 16;

// Whether keys are multiplied 16 at a time: a sum over the features of a key is then one over 16
// lanes, in the order of SumOfLanes of AVX-512.
inline bool fits_panels(const CachedAttention& a) {
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  return HWY_LANES(float) == kPanelKeys && size % kPanelKeys == 0 && value_size % kPanelKeys == 0;
}

// The keys of a head as floats, in panels of 16: panels[p, f, i] is feature f of key 16 p + i.
struct KeyPanels {
  const float* panels;
  int64_t size;  // features
};

// One query: a row and a head. Keys are counted from the first of the item.
struct PromptQuery {
  int64_t row, head;
  const float* q;
  float* out;
  int64_t begin, end;  // keys
  float* weights;      // [end], with space for a panel more
};
using PromptQueries = std::array<PromptQuery, kPromptTile>;

using PanelSums = std::array<hn::Vec<FloatTag>, kPromptTile>;

// For 16 keys, the sums over the features of lanes kLane, kLane + kStep, ... of each query's
// products. The sum of a lane is one of fused additions; these are added as SumOfLanes does.
template <int kStep, int kLane>
HWY_INLINE void sum_features(const float* panel, int64_t size, const PromptQueries& queries,
                             PanelSums& sums) {
  const FloatTag d;
  if constexpr (kStep == kPanelKeys) {
    sums.fill(hn::Zero(d));
    for (int64_t f = kLane; f < size; f += kPanelKeys) {
      const auto keys = hn::Load(d, panel + f * kPanelKeys);
      for (int i = 0; i < kPromptTile; ++i) {
        sums[i] = hn::MulAdd(hn::Set(d, queries[i].q[f]), keys, sums[i]);
      }
    }
  } else {
    PanelSums others;
    sum_features<2 * kStep, kLane>(panel, size, queries, sums);
    sum_features<2 * kStep, kLane + kStep>(panel, size, queries, others);
    for (int i = 0; i < kPromptTile; ++i) sums[i] = hn::Add(sums[i], others[i]);
  }
}

// The scores of the panels with the keys of all queries.
HWY_INLINE void prompt_scores(const KeyPanels& keys, const PromptQueries& queries) {
  const FloatTag d;
  int64_t begin = queries[0].begin, end = 0;
  for (const PromptQuery& one : queries) {
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end);
  }
  for (int64_t t = begin / kPanelKeys * kPanelKeys; t < end; t += kPanelKeys) {
    PanelSums sums;
    sum_features<1, 0>(keys.panels + t * keys.size, keys.size, queries, sums);
    // As attend_rows() adds the sum of what remains of the features: a sum is never -0.
    for (int i = 0; i < kPromptTile; ++i) {
      hn::Store(hn::Add(sums[i], hn::Zero(d)), d, queries[i].weights + t);
    }
  }
}

// out = sum over t of weights[t] * rows[t], for kVectors times 16 columns from `column` on, which
// are those from `begin` on of the rows.
template <int kVectors, class T>
HWY_INLINE void prompt_values(const PromptQueries& queries, const T* const* rows, int64_t begin,
                              int64_t column) {
  const FloatTag d;
  int64_t shared_begin = 0, shared_end = queries[0].end;
  for (const PromptQuery& one : queries) {
    shared_begin = std::max(shared_begin, one.begin);
    shared_end = std::min(shared_end, one.end);
  }
  shared_end = std::max(shared_begin, shared_end);
  std::array<PanelSums, kVectors> sums;
  for (PanelSums& of_queries : sums) of_queries.fill(hn::Zero(d));
  const auto add_alone = [&](int i, int64_t first, int64_t end) HWY_ATTR {
    for (int64_t t = first; t < end; ++t) {
      for (int v = 0; v < kVectors; ++v) {
        const auto value = load(d, rows[t] + begin + kPanelKeys * v);
        sums[v][i] = hn::MulAdd(hn::Set(d, queries[i].weights[t]), value, sums[v][i]);
      }
    }
  };
  for (int i = 0; i < kPromptTile; ++i) {
    add_alone(i, queries[i].begin, std::min(shared_begin, queries[i].end));
  }
  for (int64_t t = shared_begin; t < shared_end; ++t) {
    for (int v = 0; v < kVectors; ++v) {
      const auto value = load(d, rows[t] + begin + kPanelKeys * v);
      for (int i = 0; i < kPromptTile; ++i) {
        sums[v][i] = hn::MulAdd(hn::Set(d, queries[i].weights[t]), value, sums[v][i]);
      }
    }
  }
  for (int i = 0; i < kPromptTile; ++i) {
    add_alone(i, shared_end, queries[i].end);
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[v][i], d, queries[i].out + column + kPanelKeys * v);
    }
  }
}

// The rows of one key head that the rows of a prompt attend to.
template <class T>
struct PromptKeys {
  static constexpr bool kIsScaled = std::is_same_v<T, int8_t>;

  PromptKeys(const CachedAttention& a, std::span<const int32_t> rows, int64_t key_head,
             Scratch& scratch)
      : size(a.q.cols / a.heads), value_size(a.out.cols / a.heads), head(key_head) {
    const auto length = std::ssize(rows);
    const int64_t padded = (length + kPanelKeys - 1) / kPanelKeys * kPanelKeys;
    panels = scratch.allocate(padded * size);
    values = reinterpret_cast<const T**>(scratch.allocate(2 * length));
    key_scales = scratch.allocate(padded);
    value_scales = scratch.allocate(padded);
    for (int64_t t = 0; t < length; ++t) {
      const T* key = a.keys.row<T>(rows[t]);
      values[t] = a.values.row<T>(rows[t]);
      if constexpr (kIsScaled) {
        key_scales[t] = PagedRows::scale_of(key, a.groups() * size, head);
        value_scales[t] = PagedRows::scale_of(values[t], a.groups() * value_size, head);
      }
      put(key + head * size, t);
    }
    for (int64_t t = length; t < padded; ++t) put<float>(nullptr, t);
  }

  // Attends with queries to keys among the rows. The first row is rows[w][first].
  HWY_INLINE void attend(const CachedAttention& a, int64_t first,
                         const PromptQueries& queries) const {
    prompt_scores({panels, size}, queries);
    for (const PromptQuery& one : queries) {
      if constexpr (kIsScaled) multiply(one, key_scales);
      const int64_t count = one.end - one.begin;
      finish_scores(a, one.row, one.head, first + one.begin,
                    {one.weights + one.begin, 1, count, count});
      if constexpr (kIsScaled) multiply(one, value_scales);
    }
    const int64_t begin = head * value_size;
    int64_t column = 0;
    for (; column + 2 * kPanelKeys <= value_size; column += 2 * kPanelKeys) {
      prompt_values<2>(queries, values, begin + column, column);
    }
    if (column < value_size) prompt_values<1>(queries, values, begin + column, column);
  }

 private:
  // A key, or zeros.
  template <class Source>
  void put(const Source* key, int64_t t) {
    float* to = panels + t / kPanelKeys * kPanelKeys * size + t % kPanelKeys;
    for (int64_t f = 0; f < size; ++f) {
      to[f * kPanelKeys] = key == nullptr ? 0 : static_cast<float>(key[f]);
    }
  }
  static void multiply(const PromptQuery& one, const float* scales) {
    for (int64_t t = one.begin; t < one.end; ++t) one.weights[t] *= scales[t];
  }

  int64_t size, value_size, head;
  float* panels;
  const T** values;
  float *key_scales, *value_scales;  // of int8
};

// Rows [begin, end) with the heads of a key head, of which `first_head` is the first.
template <class T>
HWY_INLINE void attend_prompt(const CachedAttention& a, int64_t begin, int64_t end,
                              int64_t first_head) {
  const Floats q = a.q.as<float>(), out = a.out.as<float>();
  const int64_t size = q.cols / a.heads, value_size = out.cols / a.heads;
  const int64_t heads = a.heads / a.groups(), count = (end - begin) * heads;
  const int64_t first_key = near_keys(a, begin).begin;
  const std::span<const int32_t> rows = a.rows[end - 1].subspan(static_cast<size_t>(first_key));
  Scratch scratch;
  const PromptKeys<T> keys(a, rows, a.key_head_of(first_head), scratch);
  PromptQueries queries;
  for (PromptQuery& one : queries) {
    one.weights = scratch.allocate(std::ssize(rows) + 2 * kPanelKeys);
  }
  for (int64_t first = 0; first < count; first += kPromptTile) {
    for (int64_t i = 0; i < kPromptTile; ++i) {
      // The last tile may have queries twice.
      const int64_t n = std::min(first + i, count - 1), w = begin + n / heads;
      const int64_t head = first_head + n % heads;
      const KeyRange near = near_keys(a, w);
      PromptQuery& one = queries[i];
      one.row = w;
      one.head = head;
      one.q = q.row(w) + head * size;
      one.out = out.row(w) + head * value_size;
      one.begin = near.begin - first_key;
      one.end = one.begin + near.count;
    }
    keys.attend(a, first_key, queries);
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_
