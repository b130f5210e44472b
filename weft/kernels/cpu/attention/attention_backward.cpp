#include <numbers>

#include "weft/kernels/cpu/attention/attention_kernels.h"
#include "weft/kernels/cpu/attention/partial_gradients.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/attention_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Query blocks that share a key tile, limited by the L2 cache.
inline constexpr int64_t kSharingBlocks = 6;

// A query block, packed in two layouts: queries as lanes for the scores and as rows for the sums.
struct QueryBlock {
  int64_t begin, count;                 // in the sequence
  float *q_columns, *d_out_columns;     // [K, kQueryBlock] * scale / ln 2; [Kv, ...] * scale
  Panel q_rows, d_out_rows, d_q;        // [count, K], [count, Kv], [count, K]
  alignas(64) float lse[kQueryBlock];   // in units of ln 2
  alignas(64) float mean[kQueryBlock];  // scale * d_out . out, the mean gradient of the scores
};

// A key tile and its intermediate results with a query block, [key, query].
struct GradientTile {
  Floats keys, values;
  Panel key_rows, d_k, d_v;
  int64_t begin;     // index of the first key in the sequence
  bool is_first;     // the first of its group, which initialises d_q
  bool add_to_keys;  // whether to accumulate into d_k and d_v
  float *weights, *d_scores, *factors;
};

struct GradientHead : SequenceHead {
  GradientHead(const AttentionBackward& gradient, int64_t sequence, int64_t head_index)
      : SequenceHead(gradient.forward, sequence, head_index),
        g(gradient),
        a(gradient.forward),
        dropout(a.dropout_of(head_index)),
        is_aligned(a.q.cols / a.heads % kLanes == 0 && a.out.cols / a.heads % kLanes == 0) {}

  const AttentionBackward& g;
  const Attention& a;
  DropoutMask dropout;
  bool is_aligned;  // rows are whole vectors without padding
};

template <class T>
HWY_INLINE float dot(const T* x, const T* y, int64_t n) {
  const ProductTag d;
  auto sum = hn::Zero(d);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    sum = hn::MulAdd(load(d, x + i), load(d, y + i), sum);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += static_cast<float>(x[i]) * static_cast<float>(y[i]);
  return total;
}

// The memory of sums: the output itself if it is F32 and `in_place`, else a scratch buffer.
template <class T>
HWY_INLINE Panel sum_panel(const Matrix<T>& output, bool in_place, Scratch& scratch) {
  const int64_t width = round_to_lanes(output.cols);
  if constexpr (std::is_same_v<T, float>) {
    if (in_place) return {output.data, output.stride};
  }
  return {scratch.allocate(output.rows * width), width};
}

template <class T>
HWY_INLINE bool is_in_place(Panel sums, const Matrix<T>& output) {
  return static_cast<void*>(sums.data) == static_cast<void*>(output.data);
}

HWY_INLINE void clear(Panel sums, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; ++i) {
    std::fill_n(sums.data + i * sums.stride, round_to_lanes(cols), 0.0f);
  }
}

template <class T, class Sum>
HWY_NOINLINE void init_queries(const GradientHead& h, int64_t first_key, const Matrix<Sum>& d_q,
                               Scratch& scratch, QueryBlock& block) {
  const Attention& a = h.a;
  const int64_t begin = block.begin, end = begin + d_q.rows;
  const auto q = h.query_rows<T>(a.q, begin, end), out = h.query_rows<T>(a.out, begin, end);
  const auto d_out = h.query_rows<T>(h.g.d_out, begin, end);
  const bool in_place = h.is_aligned && h.keys <= kKeyTile;  // too few to amortise packing
  block.count = d_q.rows;
  block.q_columns = scratch.allocate(q.cols * kQueryBlock);
  block.d_out_columns = scratch.allocate(d_out.cols * kQueryBlock);
  transpose_rows(q, static_cast<float>(a.scale * std::numbers::log2e), block.q_columns);
  transpose_rows(d_out, static_cast<float>(a.scale), block.d_out_columns);
  block.q_rows = row_panel(q, in_place, scratch.allocate(kQueryBlock * round_to_lanes(q.cols)));
  block.d_out_rows =
      row_panel(d_out, in_place, scratch.allocate(kQueryBlock * round_to_lanes(d_out.cols)));
  block.d_q = sum_panel(d_q, in_place, scratch);
  if (h.attended(end) <= first_key) clear(block.d_q, block.count, d_q.cols);
  for (int64_t i = 0; i < block.count; ++i) {
    const float lse = a.lse.as<float>().row(h.q_begin + begin + i)[h.head];
    block.lse[i] = lse * std::numbers::log2e_v<float>;
    block.mean[i] = static_cast<float>(a.scale) * dot(out.row(i), d_out.row(i), out.cols);
  }
  for (int64_t i = block.count; i < kQueryBlock; ++i) block.lse[i] = block.mean[i] = 0;
}

// On entry tile.weights holds scores and tile.d_scores holds scale * d_out.v. Replaces them by the
// weights after dropout, and the gradient of q.k, weight * (factor * scale * d_out.v - mean).
HWY_NOINLINE void differentiate_scores(const QueryBlock& block, int64_t keys, int64_t v,
                                       const GradientTile& tile) {
  const ProductTag d;
  const auto lse = hn::Load(d, block.lse + v * kLanes);
  const auto mean = hn::Load(d, block.mean + v * kLanes);
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t offset = j * kQueryBlock + v * kLanes;
    auto weight = exp2(hn::Sub(hn::Load(d, tile.weights + offset), lse));
    auto d_weight = hn::Load(d, tile.d_scores + offset);
    auto dropped = weight;
    if (tile.factors) {
      const auto factor = hn::Load(d, tile.factors + offset);
      d_weight = hn::Mul(factor, d_weight);
      dropped = hn::Mul(factor, weight);
    }
    hn::Store(hn::Mul(weight, hn::Sub(d_weight, mean)), d, tile.d_scores + offset);
    hn::Store(dropped, d, tile.weights + offset);
  }
}

// Accumulates the gradients of a block and the first `keys` keys of the tile.
HWY_NOINLINE void add_gradients(const GradientHead& h, int64_t keys, const GradientTile& tile,
                                QueryBlock& block) {
  const int64_t vectors = (block.count + kLanes - 1) / kLanes;
  const Panel scores{tile.weights, kQueryBlock}, d_weights{tile.d_scores, kQueryBlock};
  const TileMask mask{h.a.causal, block.begin - tile.begin};
  mask.score(tile.keys.range(0, keys), {block.q_columns, kQueryBlock}, scores, vectors);
  mask.score(tile.values.range(0, keys), {block.d_out_columns, kQueryBlock}, d_weights, vectors);
  mask.hide_future(scores, keys);
  if (h.dropout) {
    draw_columns(h.dropout, h.q_begin + block.begin, tile.begin / kKeyTile,
                 {tile.factors, kQueryBlock, block.count});
  }
  for (int64_t v = 0; v < vectors; ++v) {
    differentiate_scores(block, mask.attended(keys, v), v, tile);
  }
  const int64_t row_vectors = round_to_lanes(tile.keys.cols) / kLanes;
  const int64_t value_vectors = round_to_lanes(tile.values.cols) / kLanes;
  mask.for_keys(keys, [&](int64_t begin, int64_t count, int64_t v) HWY_ATTR {
    const int64_t query = v * kLanes, offset = begin * kQueryBlock + query;
    const auto from = [](Panel x, int64_t row) HWY_ATTR {
      return Panel{x.data + row * x.stride, x.stride};
    };
    product({tile.weights + offset, kQueryBlock}, from(block.d_out_rows, query),
            from(tile.d_v, begin), {count, value_vectors, block.count - query}, tile.add_to_keys);
    product({tile.d_scores + offset, kQueryBlock}, from(block.q_rows, query), from(tile.d_k, begin),
            {count, row_vectors, block.count - query}, tile.add_to_keys);
  });
  mask.sum(d_weights, tile.key_rows, block.d_q, {block.count, row_vectors, keys}, !tile.is_first);
}

// The keys of an item: their gradient sums, and buffers for a tile.
struct KeyGroup {
  int64_t begin, end;  // in the sequence
  Panel d_k, d_v;
  float *key_buffer, *value_buffer;
  bool packs_keys, packs_values;  // of tiles, for many query blocks
  bool writes_over;               // the first query block initialises the sums
  GradientTile tile;
};

// Processes the query blocks from row `begin` to `last`, which share each key tile of the group.
template <class T, class Sum>
HWY_NOINLINE void differentiate_blocks(const GradientHead& h, int64_t begin, int64_t last,
                                       Scratch& scratch, KeyGroup& group) {
  const int64_t count = (last - begin + kQueryBlock - 1) / kQueryBlock;
  GradientTile& tile = group.tile;
  QueryBlock blocks[kSharingBlocks];
  const auto d_q_rows = [&](int64_t b) {
    const int64_t from = begin + b * kQueryBlock;
    return h.query_rows<Sum>(h.g.d_q, from, std::min(last, from + kQueryBlock));
  };
  for (int64_t b = 0; b < count; ++b) {
    blocks[b].begin = begin + b * kQueryBlock;
    init_queries<T>(h, group.begin, d_q_rows(b), scratch, blocks[b]);
  }
  const int64_t attended = std::min(group.end, h.attended(last));
  for (int64_t tile_begin = group.begin; tile_begin < attended; tile_begin += kKeyTile) {
    const int64_t tile_end = std::min(attended, tile_begin + kKeyTile);
    const auto k = h.key_rows<T>(h.a.k, tile_begin, tile_end),
               v = h.key_rows<T>(h.a.v, tile_begin, tile_end);
    tile.begin = tile_begin;
    tile.is_first = tile_begin == group.begin;
    tile.key_rows = row_panel(k, !group.packs_keys, group.key_buffer);
    tile.keys = {tile.key_rows.data, k.rows, k.cols, tile.key_rows.stride};
    const Panel values = row_panel(v, !group.packs_values, group.value_buffer);
    tile.values = {values.data, v.rows, v.cols, values.stride};
    tile.d_k = {group.d_k.data + (tile_begin - group.begin) * group.d_k.stride, group.d_k.stride};
    tile.d_v = {group.d_v.data + (tile_begin - group.begin) * group.d_v.stride, group.d_v.stride};
    const int64_t next = std::min(group.end, tile_end + kKeyTile);
    for (int64_t b = 0; b < count; ++b) {
      prefetch_rows(h.key_rows<T>(h.a.k, tile_end, next), b, count);
      prefetch_rows(h.key_rows<T>(h.a.v, tile_end, next), b, count);
      const int64_t keys =
          std::min(tile_end, h.attended(blocks[b].begin + blocks[b].count)) - tile_begin;
      tile.add_to_keys = !group.writes_over || blocks[b].begin > 0;
      if (keys > 0) add_gradients(h, keys, tile, blocks[b]);
    }
  }
  for (int64_t b = 0; b < count; ++b) {
    const Matrix<Sum> rows = d_q_rows(b);
    if (!is_in_place(blocks[b].d_q, rows)) unpack_rows(blocks[b].d_q.data, 1, rows);
  }
}

// Processes the heads of an item in order. The element type of d_q is Sum, that of d_k and d_v
// KeySum.
template <class T, class Sum, class KeySum>
HWY_NOINLINE void differentiate_heads(const AttentionBackward& g, const GradientItem& item) {
  const GradientHead first(g, item.sequence, item.head);
  const auto d_k = first.key_rows<KeySum>(g.d_k, item.begin, item.end),
             d_v = first.key_rows<KeySum>(g.d_v, item.begin, item.end);
  const int64_t width = round_to_lanes(d_k.cols), value_width = round_to_lanes(d_v.cols);
  const bool few = first.queries <= kQueryBlock, in_place = few && first.is_aligned;
  Scratch scratch;
  KeyGroup group;
  group.begin = item.begin;
  group.end = item.end;
  group.packs_keys = !in_place;
  group.packs_values = !few;
  group.tile.weights = scratch.allocate(kKeyTile * kQueryBlock);
  group.tile.d_scores = scratch.allocate(kKeyTile * kQueryBlock);
  group.tile.factors = first.dropout ? scratch.allocate(kKeyTile * kQueryBlock) : nullptr;
  group.key_buffer = scratch.allocate(kKeyTile * width);
  group.value_buffer = scratch.allocate(kKeyTile * value_width);
  group.d_k = sum_panel(d_k, in_place, scratch);
  group.d_v = sum_panel(d_v, in_place, scratch);
  // If the first block attends to every key, it overwrites the sums.
  group.writes_over =
      first.queries > 0 && (!g.forward.causal || (few && first.keys <= first.queries));
  if (!group.writes_over) {
    clear(group.d_k, d_k.rows, d_k.cols);
    clear(group.d_v, d_v.rows, d_v.cols);
  }
  for (int64_t head = item.head; head < item.head + item.heads; ++head) {
    const GradientHead h(g, item.sequence, head);
    for (int64_t begin = 0; begin < h.queries; begin += kSharingBlocks * kQueryBlock) {
      const Scratch::Mark mark(scratch);
      const int64_t last = std::min(h.queries, begin + kSharingBlocks * kQueryBlock);
      differentiate_blocks<T, Sum>(h, begin, last, scratch, group);
    }
    group.writes_over = false;
  }
  if (!is_in_place(group.d_k, d_k)) unpack_rows(group.d_k.data, 1, d_k);
  if (!is_in_place(group.d_v, d_v)) unpack_rows(group.d_v.data, 1, d_v);
}

void differentiate(const AttentionBackward& g, const GradientItem& item) {
  if (g.forward.q.dtype == DType::kF32) return differentiate_heads<float, float, float>(g, item);
  with_type(g.d_q.dtype, [&]<class Sum>(Sum) HWY_ATTR {
    if (g.d_k.dtype == DType::kF32) return differentiate_heads<BF16, Sum, float>(g, item);
    differentiate_heads<BF16, Sum, BF16>(g, item);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(differentiate);

void run(const AttentionBackward& g) {
  if (!is_fast(g.forward.q)) return ref::run(g);
  if (!g.forward.is_plain()) return d_general_attention(g);
  PartialGradients partial(g, true);
  const auto on_vectors = HWY_DYNAMIC_DISPATCH(differentiate);
  const bool has_tiles = suits_tiles(g.forward);
  for_each_item(partial.items(), 3 * attention_work(g.forward), [&](const GradientItem& item) {
    const int64_t keys = SequenceHead(g.forward, item.sequence, item.head).keys;
    const auto body = has_tiles && is_worth_tiles(keys) ? differentiate_on_tiles : on_vectors;
    body(partial.call_of(item), item);
  });
  partial.accumulate();
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
