#include "weft/kernels/cpu/attention/attention_items.h"

#include <algorithm>

namespace weft::kernels::cpu {

std::vector<AttentionItem> attention_items(std::span<const int32_t> offsets, int64_t heads,
                                           int64_t block) {
  std::vector<AttentionItem> items;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    const int64_t rows = offsets[b + 1] - offsets[b];
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t begin = 0; begin < rows; begin += block) {
        items.push_back({static_cast<int64_t>(b), h, begin});
      }
    }
  }
  return items;
}

int64_t blocks_per_item(const Attention& a, int64_t block) {
  constexpr int64_t kItemsOfThread = 4;
  const int64_t blocks = a.q.rows * a.heads / (block * kItemsOfThread * threads());
  return std::clamp<int64_t>(blocks, 1, kItemBlocks);
}

int64_t attention_work(const Attention& a) {
  int64_t pairs = 0;
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    pairs += int64_t{a.q_offsets[b + 1] - a.q_offsets[b]} * (a.k_offsets[b + 1] - a.k_offsets[b]);
  }
  return pairs * a.q.cols;
}

namespace {

struct Positions {
  int64_t low, high;
};

template <class Of>
Positions bounds(bool is_given, int64_t begin, int64_t end, Of position) {
  if (!is_given) return {begin, end - 1};
  Positions p{position(begin), position(begin)};
  for (int64_t i = begin + 1; i < end; ++i) {
    p.low = std::min<int64_t>(p.low, position(i));
    p.high = std::max<int64_t>(p.high, position(i));
  }
  return p;
}

// The range of key positions that queries at these positions may attend to, excluding global
// positions.
Positions attended_positions(const Attention& a, const Positions& queries, int64_t keys_end) {
  Positions p{0, keys_end - 1};
  const AttentionPattern& pattern = a.pattern;
  if (pattern.is_bounded() && queries.low >= pattern.global) {
    const int64_t low = pattern.block_of(queries.low) - pattern.window;
    const int64_t high = pattern.block_of(queries.high) + pattern.window;
    p.low = std::max<int64_t>(0, pattern.first() + low * pattern.block);
    p.high = std::min(p.high, pattern.first() + (high + 1) * pattern.block - 1);
  }
  if (a.causal) p.high = std::min(p.high, queries.high);
  return p;
}

}  // namespace

std::vector<KeyRange> attended_tiles(const Attention& a, const SequenceHead& h, int64_t begin,
                                     int64_t end, int64_t tile) {
  std::vector<KeyRange> out;
  const SequencePositions position(a, h);
  const auto key_position = [&](int64_t j) { return position.key(j); };
  const Positions keys =
      h.keys == 0 ? Positions{0, -1} : bounds(position.keys != nullptr, 0, h.keys, key_position);
  const Positions queries =
      bounds(position.queries != nullptr, begin, end, [&](int64_t i) { return position.query(i); });
  const Positions near = attended_positions(a, queries, keys.high + 1);
  const int64_t global_end =
      a.causal ? std::min(a.pattern.global, queries.high + 1) : a.pattern.global;
  const auto add = [&](int64_t from, int64_t to) {
    for (int64_t tile_begin = from; tile_begin < to; tile_begin = (tile_begin / tile + 1) * tile) {
      out.push_back({tile_begin, std::min(to, (tile_begin / tile + 1) * tile) - tile_begin});
    }
  };
  if (position.keys == nullptr) {
    // Positions are indices: the global keys, then the remaining keys inside the window.
    const int64_t first = std::min(near.high + 1, std::max(near.low, int64_t{0}));
    add(0, std::min({global_end, first, h.keys}));
    add(first, std::min(h.keys, near.high + 1));
    if (global_end > near.high + 1) {
      add(std::max(first, near.high + 1), std::min(h.keys, global_end));
    }
    return out;
  }
  for (int64_t tile_begin = 0; tile_begin < h.keys; tile_begin += tile) {
    const int64_t stop = std::min(h.keys, tile_begin + tile);
    const Positions tile_positions = bounds(true, tile_begin, stop, key_position);
    const bool is_near = tile_positions.high >= near.low && tile_positions.low <= near.high;
    if (is_near || tile_positions.low < global_end) add(tile_begin, stop);
  }
  return out;
}

}  // namespace weft::kernels::cpu
