#include "weft/kernels/cpu/seen_keys.h"

#include <algorithm>

namespace weft::kernels::cpu {
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

// The positions of keys that queries at these positions may see, but for global ones.
Positions reached(const Attention& a, const Positions& queries, int64_t keys_end) {
  Positions p{0, keys_end - 1};
  const Reach& reach = a.reach;
  if (reach.is_bounded() && queries.low >= reach.global) {
    p.low = std::max<int64_t>(0, (queries.low / reach.block - reach.window) * reach.block);
    p.high = std::min(p.high, (queries.high / reach.block + reach.window + 1) * reach.block - 1);
  }
  if (a.causal) p.high = std::min(p.high, queries.high);
  return p;
}

}  // namespace

std::vector<KeyRange> seen_tiles(const Attention& a, const SentenceSides& side, int64_t begin,
                                 int64_t end, int64_t tile) {
  std::vector<KeyRange> out;
  const auto key_position = [&](int64_t j) { return side.key_position(j); };
  const Positions keys = side.keys == 0
                             ? Positions{0, -1}
                             : bounds(side.k_position != nullptr, 0, side.keys, key_position);
  const Positions queries = bounds(side.q_position != nullptr, begin, end,
                                   [&](int64_t i) { return side.query_position(i); });
  const Positions near = reached(a, queries, keys.high + 1);
  const int64_t global_end = a.causal ? std::min(a.reach.global, queries.high + 1) : a.reach.global;
  const auto add = [&](int64_t from, int64_t to) {
    for (int64_t at = from; at < to; at = (at / tile + 1) * tile) {
      out.push_back({at, std::min(to, (at / tile + 1) * tile) - at});
    }
  };
  if (side.k_position == nullptr) {
    // Positions are indices: the global keys, then those near, each once.
    const int64_t first = std::min(near.high + 1, std::max(near.low, int64_t{0}));
    add(0, std::min({global_end, first, side.keys}));
    add(first, std::min(side.keys, near.high + 1));
    if (global_end > near.high + 1) {
      add(std::max(first, near.high + 1), std::min(side.keys, global_end));
    }
    return out;
  }
  for (int64_t at = 0; at < side.keys; at += tile) {
    const int64_t stop = std::min(side.keys, at + tile);
    const Positions of = bounds(true, at, stop, key_position);
    const bool is_near = of.high >= near.low && of.low <= near.high;
    if (is_near || of.low < global_end) add(at, stop);
  }
  return out;
}

}  // namespace weft::kernels::cpu
