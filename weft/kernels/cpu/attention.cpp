#include "weft/kernels/cpu/attention.h"

#include <cmath>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// The online softmax of a block of queries: the largest score so far in units of ln 2, the sum of
// exponentials, and by what the last tile shrank what came before.
struct OnlineSoftmax {
  alignas(64) float top[kQueryBlock];
  alignas(64) float sum[kQueryBlock];
  alignas(64) float shrink[kQueryBlock];
};

// Turns the scores [keys, query] of vector v into weights, times factors where given.
HWY_INLINE void weigh_vector(Panel scores, int64_t keys, int64_t v, const float* factors,
                             OnlineSoftmax& state) {
  const ProductTag d;
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
    float* at = column + j * scores.stride;
    auto weight = exp2(hn::Sub(hn::Load(d, at), top0));
    sum = hn::Add(sum, weight);
    if (factors) weight = hn::Mul(weight, hn::Load(d, factors + j * kQueryBlock + v * kLanes));
    hn::Store(weight, d, at);
  }
  hn::Store(top0, d, state.top + v * kLanes);
  hn::Store(sum, d, state.sum + v * kLanes);
  hn::Store(shrink, d, state.shrink + v * kLanes);
}

// rows[i] *= factors[i], rows of whole vectors.
HWY_INLINE void scale_rows(const float* factors, int64_t count, int64_t vectors, float* rows) {
  const ProductTag d;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t v = 0; v < vectors; ++v, rows += kLanes) {
      hn::Store(hn::Mul(hn::Set(d, factors[i]), hn::Load(d, rows)), d, rows);
    }
  }
}

void attend(const Attention& a, const AttentionItem& item) {
  const int64_t q0 = a.q_offsets[item.sentence], k0 = a.k_offsets[item.sentence];
  const int64_t first = q0 + item.begin;
  const int64_t count = std::min(kQueryBlock, a.q_offsets[item.sentence + 1] - first);
  const int64_t all_keys = a.k_offsets[item.sentence + 1] - k0;
  const int64_t seen = a.causal ? std::min(all_keys, item.begin + count) : all_keys;
  const Floats k = head_rows(a.k, k0, k0 + seen, item.head, a.heads);
  const Floats v = head_rows(a.v, k0, k0 + seen, item.head, a.heads);
  const Floats q = head_rows(a.q, first, first + count, item.head, a.heads);
  const Floats out = head_rows(a.out, first, first + count, item.head, a.heads);
  const int64_t vectors = (count + kLanes - 1) / kLanes, width = round_to_lanes(v.cols);
  Dropout dropout = a.dropout;
  dropout.site += static_cast<uint32_t>(item.head);

  Scratch scratch;
  const Panel queries{scratch.take(q.cols * kQueryBlock), kQueryBlock};
  const Panel scores{scratch.take(kKeyTile * kQueryBlock), kQueryBlock};
  const Panel values{scratch.take(kKeyTile * width), width};
  const Panel sums{scratch.take(kQueryBlock * width), width};
  float* factors = dropout ? scratch.take(kKeyTile * kQueryBlock) : nullptr;
  OnlineSoftmax state;
  std::fill_n(state.top, kQueryBlock, -std::numeric_limits<float>::infinity());
  std::fill_n(state.sum, kQueryBlock, 0.0f);
  transpose_rows(q, static_cast<float>(a.scale * std::numbers::log2e), queries.data);

  for (int64_t at = 0; at < seen; at += kKeyTile) {
    const int64_t keys = std::min(kKeyTile, seen - at);
    product(k.row(at), k.stride, queries, scores, {keys, vectors, k.cols}, false);
    if (a.causal) mask_future(scores, keys, vectors, item.begin - at);
    if (dropout) dropout_columns(dropout, first, at / kKeyTile, {factors, kQueryBlock, count});
    for (int64_t x = 0; x < vectors; ++x) weigh_vector(scores, keys, x, factors, state);
    pack_rows({v.row(at), keys, v.cols, v.stride}, values.data);
    if (at > 0) scale_rows(state.shrink, count, width / kLanes, sums.data);
    transposed_product(scores.data, kQueryBlock, values, sums, {count, width / kLanes, keys},
                       at > 0);
  }

  for (int64_t i = 0; i < count; ++i) {
    if (a.lse) {
      a.lse.as<float>().row(first + i)[item.head] =
          state.top[i] * std::numbers::ln2_v<float> + std::log(state.sum[i]);
    }
    if (seen > 0) unpack_rows(sums.data + i * width, 1 / state.sum[i], {out.row(i), 1, v.cols, 0});
    if (seen == 0) std::fill_n(out.row(i), v.cols, 0.0f);
  }
}

int64_t query_block() { return kQueryBlock; }

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend);
HWY_EXPORT(query_block);

void attention(const Attention& a) {
  const auto items = attention_items(a.q_offsets, a.heads, HWY_DYNAMIC_DISPATCH(query_block)());
  const auto body = HWY_DYNAMIC_DISPATCH(attend);
  for_each_item(items, attention_work(a), [&](const AttentionItem& item) { body(a, item); });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
