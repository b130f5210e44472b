
#include <numbers>

#include "weft/kernels/cpu/attention/attention_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The online softmax state of a query block: the maximum score so far in units of ln 2, the sum of
// exponentials, and the factor by which the last tile rescaled previous sums.
struct OnlineSoftmax {
  alignas(64) float top[kQueryBlock];
  alignas(64) float sum[kQueryBlock];
  alignas(64) float shrink[kQueryBlock];
};

// Replaces the scores [keys, query] of vector v by exponentials, multiplied by dropout factors
// unless null.
HWY_NOINLINE void exponentiate(Panel scores, int64_t keys, int64_t v, const float* factors,
                               OnlineSoftmax& state) {
  const ProductTag d;
  if (keys == 0) return hn::Store(hn::Set(d, 1.0f), d, state.shrink + v * kLanes);
  const auto before = hn::Load(d, state.top + v * kLanes);
  float* column = scores.data + v * kLanes;
  auto top0 = before, top1 = before;
  for (int64_t j = 0; j + 1 < keys; j += 2) {
    top0 = hn::Max(top0, hn::Load(d, column + j * scores.stride));
    top1 = hn::Max(top1, hn::Load(d, column + (j + 1) * scores.stride));
  }
  top0 = hn::Max(hn::Max(top0, top1), hn::Load(d, column + (keys - 1) * scores.stride));
  const auto shrink = exp2(hn::Sub(before, top0));
  auto sum = hn::Mul(shrink, hn::Load(d, state.sum + v * kLanes));
  for (int64_t j = 0; j < keys; ++j) {
    float* score = column + j * scores.stride;
    auto weight = exp2(hn::Sub(hn::Load(d, score), top0));
    sum = hn::Add(sum, weight);
    if (factors) weight = hn::Mul(weight, hn::Load(d, factors + j * kQueryBlock + v * kLanes));
    hn::Store(weight, d, score);
  }
  hn::Store(top0, d, state.top + v * kLanes);
  hn::Store(sum, d, state.sum + v * kLanes);
  hn::Store(shrink, d, state.shrink + v * kLanes);
}

// rows[i] *= factors[i], for rows of whole vectors.
HWY_NOINLINE void scale_rows(const float* factors, int64_t count, int64_t vectors, float* rows) {
  const ProductTag d;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t v = 0; v < vectors; ++v, rows += kLanes) {
      hn::Store(hn::Mul(hn::Set(d, factors[i]), hn::Load(d, rows)), d, rows);
    }
  }
}

// A query block: queries are lanes of the scores and rows of the sums.
struct QueryState {
  int64_t count;
  Panel queries;  // [K, kQueryBlock], multiplied by scale / ln 2
  Panel sums;     // [kQueryBlock, Kv], of weighted values
  OnlineSoftmax softmax;
};

// Scratch buffers for a key tile.
struct TileBuffers {
  Panel scores, values;
  float *keys, *value_rows;  // packed copies
  float* factors;            // dropout factors, or null
};

template <class T>
HWY_NOINLINE void init_block(const Matrix<T>& q, double scale, int64_t value_width,
                             Scratch& scratch, QueryState& block) {
  block.count = q.rows;
  block.queries = {scratch.allocate(q.cols * kQueryBlock), kQueryBlock};
  block.sums = {scratch.allocate(kQueryBlock * value_width), value_width};
  std::fill_n(block.softmax.top, kQueryBlock, -std::numeric_limits<float>::infinity());
  std::fill_n(block.softmax.sum, kQueryBlock, 0.0f);
  transpose_rows(q, static_cast<float>(scale * std::numbers::log2e), block.queries.data);
}

// Accumulates a key tile into the sums of a block.
HWY_NOINLINE void process_tile(const Floats& keys, const TileBuffers& tile, const TileMask& mask,
                               QueryState& block) {
  const int64_t vectors = (block.count + kLanes - 1) / kLanes;
  const int64_t value_vectors = block.sums.stride / kLanes;
  const bool is_first = block.softmax.top[0] == -std::numeric_limits<float>::infinity();
  mask.score(keys, block.queries, tile.scores, vectors);
  mask.hide_future(tile.scores, keys.rows);
  for (int64_t v = 0; v < vectors; ++v) {
    exponentiate(tile.scores, mask.attended(keys.rows, v), v, tile.factors, block.softmax);
  }
  if (!is_first) scale_rows(block.softmax.shrink, block.count, value_vectors, block.sums.data);
  mask.sum(tile.scores, tile.values, block.sums, {block.count, value_vectors, keys.rows},
           !is_first);
}

// Writes the outputs of a block and, if requested, its log-sum-exp.
template <class T>
HWY_NOINLINE void write_block(QueryState& block, bool has_keys, const Matrix<T>& out, float* lse,
                              int64_t lse_stride) {
  const ProductTag d;
  const auto ln2 = hn::Set(d, std::numbers::ln2_v<float>);
  float *top = block.softmax.top, *sum = block.softmax.sum;
  for (int64_t i = 0; i < block.count; i += kLanes) {
    const auto total = hn::Load(d, sum + i);
    hn::Store(hn::MulAdd(hn::Load(d, top + i), ln2, hn::Log(d, total)), d, top + i);
    hn::Store(hn::Div(hn::Set(d, 1.0f), total), d, sum + i);
  }
  for (int64_t i = 0; i < block.count; ++i) {
    if (lse) lse[i * lse_stride] = has_keys ? top[i] : -std::numeric_limits<float>::infinity();
    if (has_keys) {
      unpack_rows(block.sums.data + i * block.sums.stride, sum[i], out.range(i, i + 1));
    } else {
      std::fill_n(out.row(i), out.cols, T(0.0f));
    }
  }
}

// Processes an item: a few query blocks against all keys of the sequence, tile by tile, so that a
// tile is loaded and packed once for all blocks.
template <class T>
HWY_NOINLINE void attend(const Attention& a, const AttentionItem& item, int64_t max_blocks) {
  const SequenceHead h(a, item.sequence, item.head);
  const int64_t end_query = std::min(h.queries, item.begin + max_blocks * kQueryBlock);
  const int64_t queries = end_query - item.begin, first = h.q_begin + item.begin;
  const int64_t blocks = (queries + kQueryBlock - 1) / kQueryBlock;
  const int64_t attended = h.attended(end_query);
  const auto k = h.key_rows<T>(a.k, 0, attended), v = h.key_rows<T>(a.v, 0, attended);
  const auto q = h.query_rows<T>(a.q, item.begin, end_query);
  const auto out = h.query_rows<T>(a.out, item.begin, end_query);
  const int64_t width = round_to_lanes(k.cols), value_width = round_to_lanes(v.cols);
  const auto block_of = [&](const Matrix<T>& x, int64_t b) {
    return x.range(b * kQueryBlock, std::min(queries, (b + 1) * kQueryBlock));
  };
  const DropoutMask dropout = a.dropout_of(item.head);

  Scratch scratch;
  const bool few = blocks == 1;  // too few to amortise packing
  TileBuffers tile{.scores = {scratch.allocate(kKeyTile * kQueryBlock), kQueryBlock},
                   .values = {},
                   .keys = scratch.allocate(kKeyTile * width),
                   .value_rows = scratch.allocate(kKeyTile * value_width),
                   .factors = dropout ? scratch.allocate(kKeyTile * kQueryBlock) : nullptr};
  QueryState state[kItemBlocks];
  for (int64_t b = 0; b < blocks; ++b) {
    init_block(block_of(q, b), a.scale, value_width, scratch, state[b]);
  }
  for (int64_t tile_begin = 0; tile_begin < attended; tile_begin += kKeyTile) {
    const int64_t end = std::min(attended, tile_begin + kKeyTile);
    tile.values = row_panel(v.range(tile_begin, end), few && v.cols % kLanes == 0, tile.value_rows);
    const Panel rows = row_panel(k.range(tile_begin, end), few, tile.keys);
    const Floats keys{rows.data, end - tile_begin, k.cols, rows.stride};
    const int64_t next_end = std::min(attended, end + kKeyTile);
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t ahead = item.begin + b * kQueryBlock - tile_begin;
      const int64_t attended_of_tile = ahead + state[b].count;  // by the last query, if causal
      if (a.causal && attended_of_tile <= 0) continue;
      prefetch_rows(k.range(end, next_end), b, blocks);
      prefetch_rows(v.range(end, next_end), b, blocks);
      if (dropout) {
        draw_columns(dropout, first + b * kQueryBlock, tile_begin / kKeyTile,
                     {tile.factors, kQueryBlock, state[b].count});
      }
      const int64_t count = a.causal ? std::min(keys.rows, attended_of_tile) : keys.rows;
      process_tile(keys.range(0, count), tile, {a.causal, ahead}, state[b]);
    }
  }
  for (int64_t b = 0; b < blocks; ++b) {
    float* lse = nullptr;
    if (a.lse) lse = a.lse.as<float>().row(first + b * kQueryBlock) + item.head;
    write_block(state[b], attended > 0, block_of(out, b), lse, a.lse.stride);
  }
}

void attention_on_target(const Attention& a, bool without_long) {
  const int64_t blocks = blocks_per_item(a, kQueryBlock);
  std::vector<AttentionItem> items = attention_items(a.q_offsets, a.heads, blocks * kQueryBlock);
  if (without_long) {
    std::erase_if(items, [&](const AttentionItem& item) {
      return is_worth_tiles(a.k_offsets[item.sequence + 1] - a.k_offsets[item.sequence]);
    });
  }
  for_each_item(items, attention_work(a), [&](const AttentionItem& item) HWY_ATTR {
    with_type(a.q.dtype, [&]<class T>(T) HWY_ATTR { attend<T>(a, item, blocks); });
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attention_on_target);

void run(const Attention& a) {
  if (!is_fast(a.q)) return ref::run(a);
  if (!a.is_plain()) return general_attention(a);
  const bool has_tiles = suits_tiles(a);
  if (has_tiles) attention_on_tiles(a);
  HWY_DYNAMIC_DISPATCH(attention_on_target)(a, has_tiles);
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
