// Shared by forward and backward of general attention: the keys that a query block attends to, and
// their scores and probabilities, stored for all keys.
#if defined(WEFT_KERNELS_CPU_ATTENTION_GENERAL_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_CPU_ATTENTION_GENERAL_ATTENTION_INL_H_
#undef WEFT_KERNELS_CPU_ATTENTION_GENERAL_ATTENTION_INL_H_
#else
#define WEFT_KERNELS_CPU_ATTENTION_GENERAL_ATTENTION_INL_H_
#endif

#include <vector>

#include "weft/kernels/cpu/attention/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

struct GeneralHead : SequenceHead {
  GeneralHead(const Attention& call, int64_t sequence, int64_t head_index, Scratch& scratch)
      : SequenceHead(call, sequence, head_index),
        a(call),
        positions(call, *this),
        dropout(call.dropout_of(head_index)) {
    if (!a.bias.slopes.empty()) slope = a.bias.slopes[head];
    const View& table = a.bias.table;
    if (!table) return;
    bias = scratch.allocate(table.rows);
    max_distance = static_cast<int32_t>(table.rows / 2);
    with_type(table.dtype, [&]<class T>(T) {
      for (int64_t r = 0; r < table.rows; ++r) {
        bias[r] = static_cast<float>(table.as<T>().row(r)[head]);
      }
    });
  }

  const Attention& a;
  SequencePositions positions;
  DropoutMask dropout;
  float slope = 0;
  float* bias = nullptr;     // [2R + 1] of this head
  int32_t max_distance = 0;  // R
};

// A query block, one query per lane, and its scores [attended keys, kQueryBlock].
struct ScoreBlock {
  int64_t begin, count;  // in the sequence
  std::vector<KeyRange> tiles;
  int64_t keys = 0;  // in all tiles
  Panel scores;
  float* slopes = nullptr;  // [attended keys, kQueryBlock], of the soft cap; null: not wanted
  alignas(64) int32_t position[kQueryBlock];
  alignas(64) int32_t block[kQueryBlock];   // of the pattern
  alignas(64) int32_t column[kQueryBlock];  // in the block
  alignas(64) float attended[kQueryBlock];  // number of keys
  alignas(64) float factor[kQueryBlock];    // pending factor of the probabilities
  int64_t vectors() const { return (count + kLanes - 1) / kLanes; }
};

inline HWY_NOINLINE void init_scores(const GeneralHead& h, int64_t begin, Scratch& scratch,
                                     ScoreBlock& b) {
  b.begin = begin;
  b.count = std::min(kQueryBlock, h.queries - begin);
  b.tiles = attended_tiles(h.a, h, begin, begin + b.count, kKeyTile);
  b.keys = 0;
  for (const KeyRange& tile : b.tiles) b.keys += tile.count;
  b.scores = {scratch.allocate(b.keys * kQueryBlock), kQueryBlock};
  for (int64_t i = 0; i < kQueryBlock; ++i) {
    b.position[i] = h.positions.query(begin + std::min(i, b.count - 1));
    b.block[i] = static_cast<int32_t>(h.a.pattern.block_of(b.position[i]));
    b.column[i] = static_cast<int32_t>(h.a.pattern.column_of(b.position[i]));
    b.attended[i] = 0;
  }
}

// Caps the scores of some keys: cap * tanh(score / cap). Writes the derivatives 1 - tanh^2 unless
// `slopes` is null.
inline HWY_NOINLINE void cap_scores(double cap, int64_t keys, int64_t vectors, Panel scores,
                                    float* slopes) {
  const ProductTag d;
  const auto limit = hn::Set(d, static_cast<float>(cap)), one = hn::Set(d, 1.0f);
  for (int64_t j = 0; j < keys; ++j) {
    for (int64_t v = 0; v < vectors; ++v) {
      float* address = scores.data + j * scores.stride + v * kLanes;
      const auto bounded = tanh(d, hn::Div(hn::Load(d, address), limit));
      hn::Store(hn::Mul(limit, bounded), d, address);
      if (slopes == nullptr) continue;
      hn::Store(hn::NegMulAdd(bounded, bounded, one), d, slopes + j * kQueryBlock + v * kLanes);
    }
  }
}

// Adds the bias to the scores of one tile, masks them by the pattern, and counts the attended keys.
inline HWY_NOINLINE void apply_params(const GeneralHead& h, const KeyRange& tile, Panel scores,
                                      ScoreBlock& b) {
  const ProductTag d;
  const hn::Rebind<int32_t, ProductTag> di;
  const Attention& a = h.a;
  const bool bounded = a.pattern.is_bounded();
  const auto one = hn::Set(d, 1.0f), hidden = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto window = hn::Set(di, static_cast<int32_t>(a.pattern.window));
  const auto last_global = hn::Set(di, static_cast<int32_t>(a.pattern.global - 1));
  for (int64_t j = 0; j < tile.count; ++j) {
    const int32_t key = h.positions.key(tile.begin + j);
    const auto key_block = hn::Set(di, static_cast<int32_t>(a.pattern.block_of(key)));
    const auto key_column = hn::Set(di, static_cast<int32_t>(a.pattern.column_of(key)));
    for (int64_t v = 0; v < b.vectors(); ++v) {
      float* address = scores.data + j * scores.stride + v * kLanes;
      const auto query = hn::Load(di, b.position + v * kLanes);
      const auto distance = hn::Sub(hn::Set(di, key), query);
      auto score = hn::Load(d, address);
      if (h.slope != 0) {
        const auto away = hn::ConvertTo(d, hn::Abs(distance));
        score = hn::NegMulAdd(hn::Set(d, h.slope), away, score);
      }
      if (h.bias) {
        const auto max_distance = hn::Set(di, h.max_distance);
        const auto row =
            hn::Add(hn::Max(hn::Min(distance, max_distance), hn::Neg(max_distance)), max_distance);
        score = hn::Add(score, hn::GatherIndex(d, h.bias, row));
      }
      auto out = hn::Gt(hn::Zero(di), hn::Zero(di));
      if (a.causal) out = hn::Gt(distance, hn::Zero(di));
      if (bounded && key >= a.pattern.global) {
        auto apart = hn::Abs(hn::Sub(key_block, hn::Load(di, b.block + v * kLanes)));
        if (a.pattern.is_grid) {
          const auto column = hn::Load(di, b.column + v * kLanes);
          apart = hn::Max(apart, hn::Abs(hn::Sub(key_column, column)));
        }
        out = hn::Or(out, hn::And(hn::Gt(apart, window), hn::Gt(query, last_global)));
      }
      const auto is_out = hn::RebindMask(d, out);
      hn::Store(hn::IfThenElse(is_out, hidden, score), d, address);
      float* attended = b.attended + v * kLanes;
      hn::Store(hn::Add(hn::Load(d, attended), hn::IfThenZeroElse(is_out, one)), d, attended);
    }
  }
}

// Computes the block's scores. `queries` [K, kQueryBlock] are scaled.
template <class T>
HWY_NOINLINE void compute_scores(const GeneralHead& h, Panel queries, float* buffer,
                                 ScoreBlock& b) {
  const bool has_params = h.a.causal || h.a.pattern.is_bounded() || h.a.bias;
  int64_t row = 0;
  for (const KeyRange& tile : b.tiles) {
    const auto keys = h.key_rows<T>(h.a.k, tile.begin, tile.begin + tile.count);
    const Panel rows = row_panel(keys, true, buffer);
    const Panel scores{b.scores.data + row * kQueryBlock, kQueryBlock};
    product({rows.data, rows.stride}, queries, scores, {tile.count, b.vectors(), keys.cols}, false);
    if (h.a.soft_cap != 0) {
      float* slopes = b.slopes == nullptr ? nullptr : b.slopes + row * kQueryBlock;
      cap_scores(h.a.soft_cap, tile.count, b.vectors(), scores, slopes);
    }
    if (has_params) apply_params(h, tile, scores, b);
    row += tile.count;
  }
  if (has_params) return;
  std::fill_n(b.attended, kQueryBlock, static_cast<float>(b.keys));
}

// Folds the scores of one vector over the keys: result = add(result, score).
template <class F>
HWY_INLINE AttentionVector fold(const ScoreBlock& b, int64_t v, AttentionVector so_far, F add) {
  const ProductTag d;
  for (int64_t j = 0; j < b.keys; ++j) {
    so_far = add(so_far, hn::Load(d, b.scores.data + j * kQueryBlock + v * kLanes));
  }
  return so_far;
}

template <class F>
HWY_INLINE void replace(const ScoreBlock& b, int64_t v, F weight) {
  const ProductTag d;
  for (int64_t j = 0; j < b.keys; ++j) {
    float* address = b.scores.data + j * kQueryBlock + v * kLanes;
    hn::Store(weight(hn::Load(d, address)), d, address);
  }
}

// The threshold t with sum max(s - t, 0)^power = 1, by Newton's method from below. It never
// overshoots, since the sum is convex and decreasing.
template <bool kSquared>
HWY_INLINE AttentionVector find_threshold(const ScoreBlock& b, int64_t v, AttentionVector top) {
  const ProductTag d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  auto t = hn::Sub(top, one);
  auto moves = hn::Eq(one, one);
  for (int step = 0; step < 64 && !hn::AllFalse(d, moves); ++step) {
    auto sum = zero, slope = zero;
    for (int64_t j = 0; j < b.keys; ++j) {
      const auto s = hn::Load(d, b.scores.data + j * kQueryBlock + v * kLanes);
      const auto over = hn::Max(hn::Sub(s, t), zero);
      sum = kSquared ? hn::MulAdd(over, over, sum) : hn::Add(sum, over);
      slope = hn::Add(slope,
                      kSquared ? hn::Add(over, over) : hn::IfThenElseZero(hn::Gt(over, zero), one));
    }
    const auto next = hn::Add(t, hn::Div(hn::Sub(sum, one), hn::Max(slope, hn::Set(d, 1e-20f))));
    moves = hn::And(moves, hn::Gt(next, t));
    t = hn::IfThenElse(moves, next, t);
  }
  return t;
}

// Replaces vector v of the scores by probabilities, up to `factor`.
inline HWY_NOINLINE void compute_probabilities(ScoreFunction function, int64_t v, ScoreBlock& b) {
  const ProductTag d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto none = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto attended = hn::Load(d, b.attended + v * kLanes);
  const auto attends_to_none = hn::Eq(attended, zero);
  const auto inverse_count = hn::Div(one, hn::Max(attended, one));
  auto factor = one;
  auto top = fold(b, v, none, [](auto x, auto y) HWY_ATTR { return hn::Max(x, y); });
  top = hn::IfThenZeroElse(attends_to_none, top);
  switch (function) {
    case ScoreFunction::kSoftmax: {
      replace(b, v, [&](auto s) HWY_ATTR { return exp(d, hn::Sub(s, top)); });
      const auto sum = fold(b, v, zero, [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); });
      factor = hn::IfThenZeroElse(attends_to_none, hn::Div(one, sum));
      break;
    }
    case ScoreFunction::kRelu:
      replace(b, v, [&](auto s) HWY_ATTR { return hn::Max(s, zero); });
      factor = inverse_count;
      break;
    case ScoreFunction::kSquaredRelu:
      replace(b, v, [&](auto s) HWY_ATTR { return hn::Mul(hn::Max(s, zero), hn::Max(s, zero)); });
      factor = inverse_count;
      break;
    case ScoreFunction::kSigmoid: {
      const auto log_attended = hn::Log(d, hn::Max(attended, one));
      replace(b, v, [&](auto s) HWY_ATTR {
        return hn::IfThenZeroElse(hn::Eq(s, none), sigmoid(d, hn::Sub(s, log_attended)));
      });
      break;
    }
    case ScoreFunction::kSparsemax: {
      const auto threshold = find_threshold<false>(b, v, top);
      replace(b, v, [&](auto s) HWY_ATTR { return hn::Max(hn::Sub(s, threshold), zero); });
      break;
    }
    case ScoreFunction::kEntmax15: {
      replace(b, v, [&](auto s) HWY_ATTR { return hn::Mul(s, hn::Set(d, 0.5f)); });
      const auto threshold = find_threshold<true>(b, v, hn::Mul(top, hn::Set(d, 0.5f)));
      replace(b, v, [&](auto s) HWY_ATTR {
        const auto over = hn::Max(hn::Sub(s, threshold), zero);
        return hn::Mul(over, over);
      });
      break;
    }
  }
  hn::Store(factor, d, b.factor + v * kLanes);
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_CPU_ATTENTION_GENERAL_ATTENTION_INL_H_
