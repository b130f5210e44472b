#include <vector>

#include "weft/kernels/cpu/attention/attention_kernels.h"
#include "weft/kernels/cpu/attention/partial_gradients.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/general_attention_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/general_attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The gradients shared by the blocks of one key head of a sequence.
struct KeyGradients {
  Panel d_k, d_v;  // [keys, K], [keys, Kv], in whole vectors
  float* d_table;  // [H, 2R + 1] of the sequence, or null
};

// The gradients of a block's scores, and its queries in both layouts.
struct BlockGradients {
  Panel d_scores;                // [attended keys, kQueryBlock]
  float* factors;                // of dropout [attended keys, kQueryBlock], or null
  Panel queries, d_out_columns;  // [K, kQueryBlock] times scale, [Kv, kQueryBlock]
  Panel q_rows, d_out_rows;      // [count, K] times scale, [count, Kv]
  Panel d_q;                     // [kQueryBlock, K]
  float* buffer;                 // for a key tile
};

// Computes the gradient of vector v of the scores from that of the weights, as
// ref::d_to_probabilities.
HWY_NOINLINE void d_probabilities(ScoreFunction function, int64_t v, const ScoreBlock& b,
                                  Panel gradients) {
  const ProductTag d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  const auto inverse_count = hn::Div(one, hn::Max(hn::Load(d, b.attended + v * kLanes), one));
  const auto each = [&](auto body) HWY_ATTR {
    for (int64_t j = 0; j < b.keys; ++j) {
      const int64_t offset = j * kQueryBlock + v * kLanes;
      body(hn::Load(d, b.scores.data + offset), gradients.data + offset);
    }
  };
  const auto centre = [&](auto density) HWY_ATTR {
    auto sum = zero, total = zero;
    each([&](auto p, float* gradient) HWY_ATTR {
      sum = hn::MulAdd(density(p), hn::Load(d, gradient), sum);
      total = hn::Add(total, density(p));
    });
    const auto mean = hn::IfThenZeroElse(hn::Eq(total, zero), hn::Div(sum, total));
    each([&](auto p, float* gradient) HWY_ATTR {
      hn::Store(hn::Mul(density(p), hn::Sub(hn::Load(d, gradient), mean)), d, gradient);
    });
  };
  const auto times = [&](auto slope) HWY_ATTR {
    each([&](auto p, float* gradient)
             HWY_ATTR { hn::Store(hn::Mul(slope(p), hn::Load(d, gradient)), d, gradient); });
  };
  const auto step = [&](auto p, auto height)
                        HWY_ATTR { return hn::IfThenElseZero(hn::Gt(p, zero), height); };
  switch (function) {
    case ScoreFunction::kSoftmax: return centre([](auto p) HWY_ATTR { return p; });
    case ScoreFunction::kRelu:
      return times([&](auto p) HWY_ATTR { return step(p, inverse_count); });
    case ScoreFunction::kSquaredRelu:
      return times([&](auto p) HWY_ATTR {
        const auto root = hn::Sqrt(hn::Mul(p, inverse_count));
        return hn::Add(root, root);
      });
    case ScoreFunction::kSigmoid:
      return times([&](auto p) HWY_ATTR { return hn::Mul(p, hn::Sub(one, p)); });
    case ScoreFunction::kSparsemax: return centre([&](auto p) HWY_ATTR { return step(p, one); });
    case ScoreFunction::kEntmax15: return centre([](auto p) HWY_ATTR { return hn::Sqrt(p); });
  }
}

// rows[j] *= factors, either one vector for all rows or one per row.
HWY_NOINLINE void multiply_lanes(Panel rows, int64_t count, int64_t vectors, const float* by,
                                 int64_t by_stride) {
  const ProductTag d;
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t v = 0; v < vectors; ++v) {
      float* address = rows.data + j * rows.stride + v * kLanes;
      hn::Store(hn::Mul(hn::Load(d, address), hn::Load(d, by + j * by_stride + v * kLanes)), d,
                address);
    }
  }
}

// Computes scores, weights and the gradient of the scores.
template <class T>
HWY_NOINLINE void differentiate_block(const AttentionBackward& g, const GeneralHead& h,
                                      const BlockGradients& w, ScoreBlock& b) {
  compute_scores<T>(h, w.queries, w.buffer, b);
  for (int64_t v = 0; v < b.vectors(); ++v) compute_probabilities(g.forward.function, v, b);
  multiply_lanes(b.scores, b.keys, b.vectors(), b.factor, 0);
  int64_t row = 0;
  for (const KeyRange& tile : b.tiles) {
    const auto values = h.key_rows<T>(g.forward.v, tile.begin, tile.begin + tile.count);
    const Panel rows = row_panel(values, true, w.buffer);
    const Panel d_scores{w.d_scores.data + row * kQueryBlock, kQueryBlock};
    product({rows.data, rows.stride}, w.d_out_columns, d_scores,
            {tile.count, b.vectors(), values.cols}, false);
    if (w.factors) {
      draw_columns(h.dropout, h.q_begin + b.begin, tile.begin / kKeyTile,
                   {w.buffer, kQueryBlock, b.count});
      float* factors = w.factors + row * kQueryBlock;
      std::copy_n(w.buffer + tile.begin % kKeyTile * kQueryBlock, tile.count * kQueryBlock,
                  factors);
      multiply_lanes(d_scores, tile.count, b.vectors(), factors, kQueryBlock);
    }
    row += tile.count;
  }
  for (int64_t v = 0; v < b.vectors(); ++v) {
    d_probabilities(g.forward.function, v, b, w.d_scores);
  }
  if (w.factors) multiply_lanes(b.scores, b.keys, b.vectors(), w.factors, kQueryBlock);
}

// Accumulates the gradients of the bias table, keys and values of a block and computes that of its
// queries.
template <class T>
HWY_NOINLINE void add_block(const AttentionBackward& g, const GeneralHead& h,
                            const BlockGradients& w, const KeyGradients& to, ScoreBlock& b) {
  int64_t row = 0;
  std::fill_n(w.d_q.data, b.count * w.d_q.stride, 0.0f);
  for (const KeyRange& tile : b.tiles) {
    float* d_scores = w.d_scores.data + row * kQueryBlock;
    for (int64_t j = 0; to.d_table && j < tile.count; ++j) {
      float* d_table = to.d_table + h.head * (2 * h.max_distance + 1) + h.max_distance;
      for (int64_t i = 0; i < b.count; ++i) {
        const int32_t distance = h.positions.key(tile.begin + j) - b.position[i];
        d_table[std::clamp(distance, -h.max_distance, h.max_distance)] +=
            d_scores[j * kQueryBlock + i];
      }
    }
    if (b.slopes) {
      multiply_lanes({d_scores, kQueryBlock}, tile.count, b.vectors(), b.slopes + row * kQueryBlock,
                     kQueryBlock);
    }
    const Panel d_k{to.d_k.data + tile.begin * to.d_k.stride, to.d_k.stride};
    const Panel d_v{to.d_v.data + tile.begin * to.d_v.stride, to.d_v.stride};
    product({b.scores.data + row * kQueryBlock, kQueryBlock}, w.d_out_rows, d_v,
            {tile.count, d_v.stride / kLanes, b.count}, true);
    product({d_scores, kQueryBlock}, w.q_rows, d_k, {tile.count, d_k.stride / kLanes, b.count},
            true);
    const auto keys = h.key_rows<T>(g.forward.k, tile.begin, tile.begin + tile.count);
    transposed_product({d_scores, kQueryBlock}, row_panel(keys, keys.cols % kLanes == 0, w.buffer),
                       w.d_q, {b.count, w.d_q.stride / kLanes, tile.count}, true);
    row += tile.count;
  }
}

// Processes all keys of an item. The element type of d_k and d_v is Sum.
template <class T, class Sum>
void differentiate_item(const AttentionBackward& g, const GradientItem& item, float* d_table) {
  const Attention& a = g.forward;
  Scratch scratch;
  const GeneralHead first(a, item.sequence, item.head, scratch);
  const auto d_k = first.key_rows<Sum>(g.d_k, 0, first.keys);
  const auto d_v = first.key_rows<Sum>(g.d_v, 0, first.keys);
  const int64_t width = round_to_lanes(d_k.cols), value_width = round_to_lanes(d_v.cols);
  const KeyGradients to{{scratch.allocate(d_k.rows * width), width},
                        {scratch.allocate(d_v.rows * value_width), value_width},
                        d_table};
  std::fill_n(to.d_k.data, d_k.rows * width, 0.0f);
  std::fill_n(to.d_v.data, d_v.rows * value_width, 0.0f);
  BlockGradients w;
  w.queries = {scratch.allocate(d_k.cols * kQueryBlock), kQueryBlock};
  w.d_out_columns = {scratch.allocate(d_v.cols * kQueryBlock), kQueryBlock};
  w.q_rows = {scratch.allocate(kQueryBlock * width), width};
  w.d_out_rows = {scratch.allocate(kQueryBlock * value_width), value_width};
  w.d_q = {scratch.allocate(kQueryBlock * width), width};
  w.buffer = scratch.allocate(kKeyTile * std::max({width, value_width, kQueryBlock}));
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    const Scratch::Mark head_mark(scratch);
    const GeneralHead h(a, item.sequence, head, scratch);
    for (int64_t begin = 0; begin < h.queries; begin += kQueryBlock) {
      const Scratch::Mark mark(scratch);
      ScoreBlock b;
      init_scores(h, begin, scratch, b);
      w.d_scores = {scratch.allocate(b.keys * kQueryBlock), kQueryBlock};
      b.slopes = a.soft_cap != 0 ? scratch.allocate(b.keys * kQueryBlock) : nullptr;
      w.factors = a.dropout ? scratch.allocate(b.keys * kQueryBlock) : nullptr;
      const auto q = h.query_rows<T>(a.q, begin, begin + b.count);
      const auto d_out = h.query_rows<T>(g.d_out, begin, begin + b.count);
      transpose_rows(q, static_cast<float>(a.scale), w.queries.data);
      transpose_rows(d_out, 1, w.d_out_columns.data);
      pack_rows(q, w.q_rows.data, w.q_rows.stride);
      pack_rows(d_out, w.d_out_rows.data, w.d_out_rows.stride);
      differentiate_block<T>(g, h, w, b);
      add_block<T>(g, h, w, to, b);
      unpack_rows(w.d_q.data, static_cast<float>(a.scale),
                  h.query_rows<T>(g.d_q, begin, begin + b.count));
    }
  }
  unpack_rows(to.d_k.data, static_cast<float>(a.scale), d_k);
  unpack_rows(to.d_v.data, 1, d_v);
}

void differentiate_on_target(const AttentionBackward& g, const GradientItem& item, float* d_table) {
  with_type(g.forward.q.dtype, [&]<class T>(T) HWY_ATTR {
    if (g.d_k.dtype == DType::kF32) return differentiate_item<T, float>(g, item, d_table);
    differentiate_item<T, T>(g, item, d_table);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(differentiate_on_target);

namespace {

// Adds the sums of all sequences to the gradient of the table [2R + 1, H].
void add_tables(const std::vector<float>& tables, Floats d_table) {
  if (d_table.rows == 0) return;
  for (auto from = tables.begin(); from != tables.end();) {  // [H, 2R + 1] each
    for (int64_t head = 0; head < d_table.cols; ++head) {
      for (int64_t r = 0; r < d_table.rows; ++r) d_table.row(r)[head] += *from++;
    }
  }
}

}  // namespace

void d_general_attention(const AttentionBackward& g) {
  const Attention& a = g.forward;
  PartialGradients partial(g, false);
  const auto d_table = g.d_table ? g.d_table.as<float>() : Floats{};
  const int64_t table_size = d_table.rows * a.heads;
  std::vector<float> tables((a.q_offsets.size() - 1) * static_cast<size_t>(table_size));
  const auto body = HWY_DYNAMIC_DISPATCH(differentiate_on_target);
  for_each_item(partial.items(), 3 * attention_work(a), [&](const GradientItem& item) {
    body(partial.call_of(item), item,
         table_size == 0 ? nullptr : tables.data() + item.sequence * table_size);
  });
  partial.accumulate();
  add_tables(tables, d_table);
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
