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

// Keys are multiplied 16 at a time, a vector: a sum over the features of a key is then one over 16
// lanes, in the order of SumOfLanes of AVX-512. Other instruction sets attend with row after row.
#if HWY_MAX_BYTES == 64

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

constexpr int kPromptTile = 4;   // queries in a tile: the registers hold their sums
constexpr int kPromptTiles = 4;  // tiles that are computed with a block of keys
constexpr int64_t kPanelKeys = 16;
constexpr int64_t kBlockKeys = 64;  // keys in a block: the L1 cache holds their rows

// Whether features fill whole vectors.
inline bool fits_panels(const CachedAttention& a) {
  const int64_t size = a.q.cols / a.heads, value_size = a.out.cols / a.heads;
  return size % kPanelKeys == 0 && value_size % kPanelKeys == 0;
}

// One query: a row and a head. Keys are counted from the first of the item.
struct PromptQuery {
  int64_t row, head;
  const float* q;
  float* out;
  int64_t begin, end;  // keys
  float* weights;      // [end], with space for a panel more
};
using PromptTile = std::array<PromptQuery, kPromptTile>;

// One vector for each query of a tile.
using PanelSums = std::array<hn::Vec<FloatTag>, kPromptTile>;

// For 16 keys, the sums over the features of lanes kLane, kLane + kStep, ... of each query's
// products. The sum of a lane is one of fused additions; these are added as SumOfLanes does.
// `panel` has feature f of key i at [f, i]; kSize features, or `size` if that is 0.
template <int kSize, int kStep = 1, int kLane = 0>
HWY_INLINE PanelSums sum_features(const float* HWY_RESTRICT panel, int64_t size,
                                  const std::array<const float*, kPromptTile>& q) {
  const FloatTag d;
  PanelSums sums;
  if constexpr (kStep == kPanelKeys) {
    sums.fill(hn::Zero(d));
    const auto add_feature = [&](int64_t f) HWY_ATTR {
      const auto keys = hn::Load(d, panel + f * kPanelKeys);
      for (int i = 0; i < kPromptTile; ++i) {
        sums[i] = hn::MulAdd(hn::Set(d, q[i][f]), keys, sums[i]);
      }
    };
    if constexpr (kSize == 0) {
      for (int64_t f = kLane; f < size; f += kPanelKeys) add_feature(f);
    } else {
#pragma GCC unroll 8
      for (int64_t f = kLane; f < kSize; f += kPanelKeys) add_feature(f);
    }
  } else {
    sums = sum_features<kSize, 2 * kStep, kLane>(panel, size, q);
    const PanelSums others = sum_features<kSize, 2 * kStep, kLane + kStep>(panel, size, q);
    for (int i = 0; i < kPromptTile; ++i) sums[i] = hn::Add(sums[i], others[i]);
  }
  return sums;
}

// Adds weights[t] * values[t] of the keys [begin, end) to `out` of kQueries queries, for kVectors
// times 16 columns from `column` on.
template <int kQueries, int kVectors>
HWY_INLINE void add_values(const PromptQuery* queries, Floats values, int64_t begin, int64_t end,
                           int64_t column) {
  if (begin >= end) return;
  const FloatTag d;
  hn::Vec<FloatTag> sums[kQueries][kVectors];
  const float* weights[kQueries];
  for (int i = 0; i < kQueries; ++i) {
    weights[i] = queries[i].weights;
    for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = hn::LoadU(d, queries[i].out + column + kPanelKeys * v);
    }
  }
  for (int64_t t = begin; t < end; ++t) {
    const float* row = values.row(t) + column;
    hn::Vec<FloatTag> value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = hn::Load(d, row + kPanelKeys * v);
    for (int i = 0; i < kQueries; ++i) {
      const auto weight = hn::Set(d, weights[i][t]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(weight, value[v], sums[i][v]);
    }
  }
  for (int i = 0; i < kQueries; ++i) {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[i][v], d, queries[i].out + column + kPanelKeys * v);
    }
  }
}

// The keys that the queries of a tile attend to: all of them, and those that all queries share.
struct TileKeys {
  explicit TileKeys(const PromptTile& queries)
      : tile(queries),
        begin(tile[0].begin),
        end(tile[0].end),
        shared_begin(begin),
        shared_end(end) {
    for (const PromptQuery& one : tile) {
      begin = std::min(begin, one.begin);
      end = std::max(end, one.end);
      shared_begin = std::max(shared_begin, one.begin);
      shared_end = std::min(shared_end, one.end);
    }
    shared_end = std::max(shared_begin, shared_end);
  }
  const PromptTile& tile;
  int64_t begin, end, shared_begin, shared_end;
};

// As add_values(), for all queries of a tile and each its own keys among [begin, end).
template <int kVectors>
HWY_INLINE void add_tile_values(const TileKeys& keys, Floats values, int64_t begin, int64_t end,
                                int64_t column) {
  const auto add_alone = [&](int64_t first, int64_t last) HWY_ATTR {
    for (const PromptQuery& one : keys.tile) {
      add_values<1, kVectors>(&one, values, std::max(first, one.begin), std::min(last, one.end),
                              column);
    }
  };
  const int64_t shared_begin = std::clamp(keys.shared_begin, begin, end);
  const int64_t shared_end = std::clamp(keys.shared_end, shared_begin, end);
  add_alone(begin, shared_begin);
  add_values<kPromptTile, kVectors>(keys.tile.data(), values, shared_begin, shared_end, column);
  add_alone(shared_end, end);
}

// The rows of one key head that the rows of a prompt attend to, as floats.
template <class T>
struct PromptKeys {
  static constexpr bool kIsScaled = std::is_same_v<T, int8_t>;

  HWY_INLINE PromptKeys(const CachedAttention& a, std::span<const int32_t> rows, int64_t key_head,
                        Scratch& scratch)
      : size(a.q.cols / a.heads), head(key_head) {
    const auto length = std::ssize(rows);
    const int64_t value_size = a.out.cols / a.heads;
    const int64_t padded = (length + kPanelKeys - 1) / kPanelKeys * kPanelKeys;
    panels = scratch.allocate(padded * size);
    values = {scratch.allocate(length * value_size), length, value_size, value_size};
    key_scales = scratch.allocate(padded);
    value_scales = scratch.allocate(padded);
    std::array<const T*, kKeysAtOnce> keys;
    for (int64_t t = 0; t < padded; t += kKeysAtOnce) {
      for (int64_t i = 0; i < kKeysAtOnce; ++i) {
        // Keys after the last one are never used.
        keys[i] = a.keys.row<T>(rows[std::min(t + i, length - 1)]) + head * size;
      }
      put_keys(keys, t);
    }
    for (int64_t t = 0; t < length; ++t) {
      const T* value = a.values.row<T>(rows[t]);
      if constexpr (kIsScaled) {
        key_scales[t] = PagedRows::scale_of(a.keys.row<T>(rows[t]), a.groups() * size, head);
        value_scales[t] = PagedRows::scale_of(value, a.groups() * value_size, head);
      }
      for (int64_t f = 0; f < value_size; f += kPanelKeys) {
        const FloatTag d;
        hn::Store(load(d, value + head * value_size + f), d, values.row(t) + f);
      }
    }
  }

  // Attends with the queries of some tiles to keys among the rows. The first row is rows[w][first].
  HWY_INLINE void attend(const CachedAttention& a, int64_t first,
                         std::span<const PromptTile> tiles) const {
    int64_t begin = values.rows, end = 0;
    for (const PromptTile& tile : tiles) {
      const TileKeys keys(tile);
      begin = std::min(begin, keys.begin / kPanelKeys * kPanelKeys);
      end = std::max(end, keys.end);
    }
    for (int64_t t = begin; t < end; t += kBlockKeys) {
      const int64_t last = std::min(t + kBlockKeys, end);
      for (const PromptTile& tile : tiles) {
        if (size == 64) {
          score_tile<64>(tile, t, last);
        } else {
          score_tile<0>(tile, t, last);
        }
      }
    }
    for (const PromptTile& tile : tiles) {
      for (const PromptQuery& one : tile) finish_query(a, first, one);
    }
    for (int64_t t = begin; t < end; t += kBlockKeys) {
      for (const PromptTile& tile : tiles) add_tile(tile, t, std::min(t + kBlockKeys, end));
    }
  }

 private:
  // Four keys at a time, 4 features each: a square that is transposed.
  static constexpr int64_t kKeysAtOnce = 4;

  HWY_INLINE void put_keys(const std::array<const T*, kKeysAtOnce>& keys, int64_t t) {
    const hn::FixedTag<float, kKeysAtOnce> d;
    const hn::RepartitionToWide<decltype(d)> wide;
    float* to = panels + t / kPanelKeys * kPanelKeys * size + t % kPanelKeys;
    const auto pair = [&](auto a, auto b)
                          HWY_ATTR { return hn::BitCast(wide, hn::InterleaveLower(d, a, b)); };
    const auto upper_pair = [&](auto a, auto b) HWY_ATTR {
      return hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
    };
    for (int64_t f = 0; f < size; f += kKeysAtOnce) {
      const auto k0 = load(d, keys[0] + f), k1 = load(d, keys[1] + f);
      const auto k2 = load(d, keys[2] + f), k3 = load(d, keys[3] + f);
      const auto low = pair(k0, k1), low2 = pair(k2, k3);
      const auto high = upper_pair(k0, k1), high2 = upper_pair(k2, k3);
      float* feature = to + f * kPanelKeys;
      const auto put = [&](auto four) HWY_ATTR {
        hn::StoreU(hn::BitCast(d, four), d, feature);
        feature += kPanelKeys;
      };
      put(hn::InterleaveLower(wide, low, low2));
      put(hn::InterleaveUpper(wide, low, low2));
      put(hn::InterleaveLower(wide, high, high2));
      put(hn::InterleaveUpper(wide, high, high2));
    }
  }

  // The dot products of a tile with the panels of keys [begin, end); kSize as of sum_features().
  template <int kSize>
  HWY_INLINE void score_tile(const PromptTile& tile, int64_t begin, int64_t end) const {
    const FloatTag d;
    const TileKeys keys(tile);
    const std::array<const float*, kPromptTile> q = {tile[0].q, tile[1].q, tile[2].q, tile[3].q};
    const int64_t last = std::min(end, keys.end);
    for (int64_t t = std::max(begin, keys.begin / kPanelKeys * kPanelKeys); t < last;
         t += kPanelKeys) {
      const PanelSums sums = sum_features<kSize>(panels + t * size, size, q);
      // As attend_rows() adds the sum of what remains of the features: a sum is never -0.
      for (int i = 0; i < kPromptTile; ++i) {
        hn::Store(hn::Add(sums[i], hn::Zero(d)), d, tile[i].weights + t);
      }
    }
  }

  // Replaces the dot products of a query by weights, and `out` by zeros.
  HWY_INLINE void finish_query(const CachedAttention& a, int64_t first,
                               const PromptQuery& one) const {
    if constexpr (kIsScaled) multiply(one, key_scales);
    const int64_t count = one.end - one.begin;
    finish_scores(a, one.row, one.head, first + one.begin,
                  {one.weights + one.begin, 1, count, count});
    if constexpr (kIsScaled) multiply(one, value_scales);
    std::fill_n(one.out, values.cols, 0.0f);
  }

  // Adds the values of keys [begin, end).
  HWY_INLINE void add_tile(const PromptTile& tile, int64_t begin, int64_t end) const {
    const TileKeys keys(tile);
    int64_t column = 0;
    for (; column + 4 * kPanelKeys <= values.cols; column += 4 * kPanelKeys) {
      add_tile_values<4>(keys, values, begin, end, column);
    }
    for (; column < values.cols; column += kPanelKeys) {
      add_tile_values<1>(keys, values, begin, end, column);
    }
  }

  static void multiply(const PromptQuery& one, const float* scales) {
    for (int64_t t = one.begin; t < one.end; ++t) one.weights[t] *= scales[t];
  }

  int64_t size, head;
  float* panels;                     // of 16 keys: [f, i] is feature f of key i
  Floats values;                     // [keys, features]
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
  std::array<PromptTile, kPromptTiles> tiles;
  for (PromptTile& tile : tiles) {
    for (PromptQuery& one : tile) {
      one.weights = scratch.allocate(std::ssize(rows) + 2 * kPanelKeys);
    }
  }
  float* unused = scratch.allocate(value_size);
  for (int64_t first = 0; first < count;) {
    size_t used = 0;
    for (; used < tiles.size() && first < count; ++used, first += kPromptTile) {
      for (int64_t i = 0; i < kPromptTile; ++i) {
        // The last tile may have the last query several times.
        const int64_t n = std::min(first + i, count - 1), w = begin + n / heads;
        const int64_t head = first_head + n % heads;
        const KeyRange near = near_keys(a, w);
        PromptQuery& one = tiles[used][i];
        one.row = w;
        one.head = head;
        one.q = q.row(w) + head * size;
        one.out = first + i < count ? out.row(w) + head * value_size : unused;
        one.begin = near.begin - first_key;
        one.end = one.begin + near.count;
      }
    }
    keys.attend(a, first_key, std::span(tiles).first(used));
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HWY_MAX_BYTES == 64
#endif  // WEFT_KERNELS_CPU_ATTENTION_PROMPT_ATTENTION_INL_H_
