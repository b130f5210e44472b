#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/attention/general_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/attention/attention_kernels.h"
#include "weft/kernels/cpu/attention/general_attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// weights *= dropout factors, for one tile whose first row is `row`.
HWY_INLINE void drop_weights(const GeneralHead& h, const KeyRange& tile, int64_t row,
                             float* factors, ScoreBlock& b) {
  const ProductTag d;
  draw_columns(h.dropout, h.q_begin + b.begin, tile.begin / kKeyTile,
               {factors, kQueryBlock, b.count});
  const float* from = factors + tile.begin % kKeyTile * kQueryBlock;
  float* to = b.scores.data + row * kQueryBlock;
  for (int64_t j = 0; j < tile.count; ++j) {
    for (int64_t v = 0; v < b.vectors(); ++v) {
      const int64_t offset = j * kQueryBlock + v * kLanes;
      hn::Store(hn::Mul(hn::Load(d, to + offset), hn::Load(d, from + offset)), d, to + offset);
    }
  }
}

template <class T>
void attend_item(const Attention& a, const AttentionItem& item) {
  Scratch scratch;
  const GeneralHead h(a, item.sequence, item.head, scratch);
  ScoreBlock b;
  init_scores(h, item.begin, scratch, b);
  const auto q = h.query_rows<T>(a.q, b.begin, b.begin + b.count);
  const auto out = h.query_rows<T>(a.out, b.begin, b.begin + b.count);
  const int64_t width = round_to_lanes(q.cols), value_width = round_to_lanes(out.cols);
  const Panel queries{scratch.allocate(q.cols * kQueryBlock), kQueryBlock};
  const Panel sums{scratch.allocate(kQueryBlock * value_width), value_width};
  float* buffer = scratch.allocate(kKeyTile * std::max(width, value_width));
  float* factors = h.dropout ? scratch.allocate(kKeyTile * kQueryBlock) : nullptr;

  transpose_rows(q, static_cast<float>(a.scale), queries.data);
  compute_scores<T>(h, queries, buffer, b);
  for (int64_t v = 0; v < b.vectors(); ++v) compute_probabilities(a.function, v, b);
  std::fill_n(sums.data, b.count * value_width, 0.0f);
  int64_t row = 0;
  for (const KeyRange& tile : b.tiles) {
    if (factors) drop_weights(h, tile, row, factors, b);
    const auto values = h.key_rows<T>(a.v, tile.begin, tile.begin + tile.count);
    transposed_product({b.scores.data + row * kQueryBlock, kQueryBlock},
                       row_panel(values, values.cols % kLanes == 0, buffer), sums,
                       {b.count, value_width / kLanes, tile.count}, true);
    row += tile.count;
  }
  for (int64_t i = 0; i < b.count; ++i) {
    unpack_rows(sums.data + i * value_width, b.factor[i], out.range(i, i + 1));
  }
}

void attend_on_target(const Attention& a, const AttentionItem& item) {
  with_type(a.q.dtype, [&]<class T>(T) HWY_ATTR { attend_item<T>(a, item); });
}

int64_t query_block() { return kQueryBlock; }

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(attend_on_target);
HWY_EXPORT(query_block);

void general_attention(const Attention& a) {
  const auto items = attention_items(a.q_offsets, a.heads, HWY_DYNAMIC_DISPATCH(query_block)());
  const auto body = HWY_DYNAMIC_DISPATCH(attend_on_target);
  for_each_item(items, attention_work(a), [&](const AttentionItem& item) { body(a, item); });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
