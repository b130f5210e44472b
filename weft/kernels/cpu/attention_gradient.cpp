#include <numbers>

#include "weft/kernels/cpu/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention_gradient.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention-inl.h"
#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// A block of queries, packed both ways: lanes of queries for the scores, rows for the sums.
struct QueryBlock {
  int64_t begin, count;                 // in the sentence
  float *q_columns, *d_out_columns;     // [K, kQueryBlock] times scale / ln 2, [Kv, kQueryBlock]
  float *q_rows, *d_out_rows, *d_q;     // [count, K], [count, Kv], [count, K], padded
  alignas(64) float lse[kQueryBlock];   // in units of ln 2
  alignas(64) float mean[kQueryBlock];  // d_out . out: the mean of d_weights under the weights
};

// A tile of keys against a block of queries, each [key, query].
struct Tile {
  float *weights, *d_scores, *factors;
  float* k_rows;  // [keys, K], padded
};

// One head of one sentence.
struct GradientOfHead {
  GradientOfHead(const AttentionGradient& gradient, const AttentionItem& item)
      : g(gradient),
        q_begin(gradient.forward.q_offsets[item.sentence]),
        q_end(gradient.forward.q_offsets[item.sentence + 1]),
        k_begin(gradient.forward.k_offsets[item.sentence]),
        k_end(gradient.forward.k_offsets[item.sentence + 1]),
        head(item.head),
        dropout(gradient.forward.dropout) {
    dropout.site += static_cast<uint32_t>(head);
  }
  Floats queries(const View& x, int64_t begin, int64_t count) const {
    return head_rows(x, q_begin + begin, q_begin + begin + count, head, g.forward.heads);
  }
  Floats keys(const View& x, int64_t begin, int64_t count) const {
    return head_rows(x, k_begin + begin, k_begin + begin + count, head, g.forward.heads);
  }
  int64_t size() const { return g.forward.q.cols / g.forward.heads; }
  int64_t value_size() const { return g.forward.v.cols / g.forward.heads; }

  const AttentionGradient& g;
  int64_t q_begin, q_end, k_begin, k_end, head;
  Dropout dropout;
};

HWY_INLINE void load_queries(const GradientOfHead& h, int64_t begin, QueryBlock& block) {
  const Attention& a = h.g.forward;
  block.begin = begin;
  block.count = std::min(kQueryBlock, h.q_end - h.q_begin - begin);
  const Floats q = h.queries(a.q, begin, block.count), out = h.queries(a.out, begin, block.count);
  const Floats d_out = h.queries(h.g.d_out, begin, block.count);
  transpose_rows(q, static_cast<float>(a.scale * std::numbers::log2e), block.q_columns);
  transpose_rows(d_out, 1, block.d_out_columns);
  pack_rows(q, block.q_rows);
  pack_rows(d_out, block.d_out_rows);
  std::fill_n(block.d_q, block.count * round_to_lanes(q.cols), 0.0f);
  std::fill_n(block.lse, kQueryBlock, 0.0f);
  std::fill_n(block.mean, kQueryBlock, 0.0f);
  for (int64_t i = 0; i < block.count; ++i) {
    const float lse = a.lse.as<float>().row(h.q_begin + begin + i)[h.head];
    block.lse[i] = lse * std::numbers::log2e_v<float>;
    const float *x = out.row(i), *y = d_out.row(i);
    block.mean[i] = sum_over(out.cols, [&](auto d, int64_t f) HWY_ATTR {
      return hn::Mul(hn::LoadU(d, x + f), hn::LoadU(d, y + f));
    });
  }
}

// From scores in tile.weights and d_out.v in tile.d_scores: the dropped-out weights, and the
// gradient of the scores, weight * (factor * d_out.v - mean).
HWY_INLINE void differentiate_tile(const QueryBlock& block, int64_t keys, int64_t vectors,
                                   const Tile& tile) {
  const ProductTag d;
  for (int64_t v = 0; v < vectors; ++v) {
    const auto lse = hn::Load(d, block.lse + v * kLanes);
    const auto mean = hn::Load(d, block.mean + v * kLanes);
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t at = j * kQueryBlock + v * kLanes;
      auto weight = exp2(hn::Sub(hn::Load(d, tile.weights + at), lse));
      auto d_weight = hn::Load(d, tile.d_scores + at);
      if (tile.factors) {
        const auto factor = hn::Load(d, tile.factors + at);
        d_weight = hn::Mul(factor, d_weight);
        hn::Store(hn::Mul(weight, hn::Sub(d_weight, mean)), d, tile.d_scores + at);
        weight = hn::Mul(factor, weight);
      } else {
        hn::Store(hn::Mul(weight, hn::Sub(d_weight, mean)), d, tile.d_scores + at);
      }
      hn::Store(weight, d, tile.weights + at);
    }
  }
}

// Weights and gradients of scores of keys `at`.. against the block.
HWY_INLINE void fill_tile(const GradientOfHead& h, const QueryBlock& block, int64_t at,
                          int64_t keys, const Tile& tile) {
  const Attention& a = h.g.forward;
  const Floats k = h.keys(a.k, at, keys), v = h.keys(a.v, at, keys);
  const int64_t vectors = (block.count + kLanes - 1) / kLanes;
  const Panel scores{tile.weights, kQueryBlock}, d_weights{tile.d_scores, kQueryBlock};
  product(k.data, k.stride, {block.q_columns, kQueryBlock}, scores, {keys, vectors, k.cols}, false);
  if (a.causal) mask_future(scores, keys, vectors, block.begin - at);
  product(v.data, v.stride, {block.d_out_columns, kQueryBlock}, d_weights, {keys, vectors, v.cols},
          false);
  if (h.dropout) {
    dropout_columns(h.dropout, h.q_begin + block.begin, at / kKeyTile,
                    {tile.factors, kQueryBlock, block.count});
  }
  differentiate_tile(block, keys, vectors, tile);
}

void differentiate(const AttentionGradient& g, const AttentionItem& item) {
  const GradientOfHead h(g, item);
  const int64_t queries = h.q_end - h.q_begin, all_keys = h.k_end - h.k_begin;
  const int64_t width = round_to_lanes(h.size()), value_width = round_to_lanes(h.value_size());
  Scratch scratch;
  QueryBlock block;
  block.q_columns = scratch.take(h.size() * kQueryBlock);
  block.d_out_columns = scratch.take(h.value_size() * kQueryBlock);
  block.q_rows = scratch.take(width * kQueryBlock);
  block.d_out_rows = scratch.take(value_width * kQueryBlock);
  block.d_q = scratch.take(width * kQueryBlock);
  Tile tile;
  tile.weights = scratch.take(kKeyTile * kQueryBlock);
  tile.d_scores = scratch.take(kKeyTile * kQueryBlock);
  tile.factors = h.dropout ? scratch.take(kKeyTile * kQueryBlock) : nullptr;
  tile.k_rows = scratch.take(kKeyTile * width);
  float* d_k = scratch.take(all_keys * width);
  float* d_v = scratch.take(all_keys * value_width);
  std::fill_n(d_k, all_keys * width, 0.0f);
  std::fill_n(d_v, all_keys * value_width, 0.0f);

  for (int64_t begin = 0; begin < queries; begin += kQueryBlock) {
    load_queries(h, begin, block);
    const int64_t seen = g.forward.causal ? std::min(all_keys, begin + block.count) : all_keys;
    for (int64_t at = 0; at < seen; at += kKeyTile) {
      const int64_t keys = std::min(kKeyTile, seen - at);
      fill_tile(h, block, at, keys, tile);
      product(tile.weights, kQueryBlock, {block.d_out_rows, value_width},
              {d_v + at * value_width, value_width}, {keys, value_width / kLanes, block.count},
              true);
      product(tile.d_scores, kQueryBlock, {block.q_rows, width}, {d_k + at * width, width},
              {keys, width / kLanes, block.count}, true);
      pack_rows(h.keys(g.forward.k, at, keys), tile.k_rows);
      transposed_product(tile.d_scores, kQueryBlock, {tile.k_rows, width}, {block.d_q, width},
                         {block.count, width / kLanes, keys}, true);
    }
    unpack_rows(block.d_q, static_cast<float>(g.forward.scale),
                h.queries(g.d_q, begin, block.count));
  }
  unpack_rows(d_k, static_cast<float>(g.forward.scale), h.keys(g.d_k, 0, all_keys));
  unpack_rows(d_v, 1, h.keys(g.d_v, 0, all_keys));
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(differentiate);

void d_attention(const AttentionGradient& g) {
  std::vector<AttentionItem> items;
  for (int64_t b = 0; b + 1 < static_cast<int64_t>(g.forward.q_offsets.size()); ++b) {
    for (int64_t h = 0; h < g.forward.heads; ++h) items.push_back({b, h, 0});
  }
  const auto body = HWY_DYNAMIC_DISPATCH(differentiate);
  for_each_item(items, 3 * attention_work(g.forward),
                [&](const AttentionItem& item) { body(g, item); });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
