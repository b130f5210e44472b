// Partitioning of attention into work items, and the rows and keys of an item.
#ifndef WEFT_KERNELS_CPU_ATTENTION_ATTENTION_ITEMS_H_
#define WEFT_KERNELS_CPU_ATTENTION_ATTENTION_ITEMS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "weft/core/parallel.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/linear_attention.h"

namespace weft::kernels::cpu {

// One head of one sequence. `begin` is the index of the first row of a block in the sequence.
struct AttentionItem {
  int64_t sequence, head, begin;
};

// The heads [head, head + heads) of one sequence, which share a key head, and the keys [begin, end)
// of the sequence.
struct GradientItem {
  int64_t sequence, head, heads, begin, end;
};

// One item per sequence, head and block of `block` rows, in this order.
std::vector<AttentionItem> attention_items(std::span<const int32_t> offsets, int64_t heads,
                                           int64_t block);

// The maximum number of query blocks per item, limited by the L2 cache.
inline constexpr int64_t kItemBlocks = 16;

// The number of blocks of `block` queries per item, small enough for load balancing. Results do not
// depend on it.
int64_t blocks_per_item(const Attention& a, int64_t block);

// The number of multiplications of all scores.
int64_t attention_work(const Attention& a);

// Calls body(item) for each item; idle threads take the next item. Uses a single thread if `work`
// multiplications are not worth waking another.
template <class Item, class Body>
void for_each_item(const std::vector<Item>& items, int64_t work, Body&& body) {
  constexpr int64_t kMinThreadWork = 100000;
  const auto count = static_cast<int64_t>(items.size());
  std::atomic<int64_t> next{0};
  parallel_for(std::min(count, work / kMinThreadWork + 1), 1, [&](int64_t, int64_t) {
    for (int64_t i = next++; i < count; i = next++) body(items[i]);
  });
}

// One query head of one sequence and its key head.
struct SequenceHead {
  SequenceHead(const Attention& a, int64_t sequence, int64_t head_index)
      : SequenceHead(a, sequence, head_index, a.heads / a.group()) {}
  SequenceHead(const LinearAttention& a, int64_t sequence, int64_t head_index)
      : SequenceHead(a, sequence, head_index, a.heads) {}

  // Rows [begin, end) of the sequence, columns of the head.
  template <class T>
  Matrix<T> query_rows(const View& x, int64_t begin, int64_t end) const {
    return columns<T>(x, q_begin + begin, q_begin + end, head, heads);
  }
  template <class T>
  Matrix<T> key_rows(const View& x, int64_t begin, int64_t end) const {
    return columns<T>(x, k_begin + begin, k_begin + end, head / (heads / key_heads), key_heads);
  }
  // One past the last key that queries before `end` attend to.
  int64_t attended(int64_t end) const { return causal ? std::min(keys, end) : keys; }

  int64_t q_begin, queries, k_begin, keys;  // rows
  int64_t head, heads, key_heads;
  bool causal;

 private:
  template <class Call>
  SequenceHead(const Call& a, int64_t sequence, int64_t head_index, int64_t key_head_count)
      : q_begin(a.q_offsets[sequence]),
        queries(a.q_offsets[sequence + 1] - q_begin),
        k_begin(a.k_offsets[sequence]),
        keys(a.k_offsets[sequence + 1] - k_begin),
        head(head_index),
        heads(a.heads),
        key_heads(key_head_count),
        causal(a.causal) {}
  template <class T>
  static Matrix<T> columns(const View& x, int64_t begin, int64_t end, int64_t which,
                           int64_t count) {
    const int64_t size = x.cols / count;
    return {x.as<T>().row(begin) + which * size, end - begin, size, x.stride};
  }
};

// Positions in one sequence: given explicitly, or the index.
struct SequencePositions {
  SequencePositions(const Attention& a, const SequenceHead& h)
      : queries(a.q_position ? a.q_position + h.q_begin : nullptr),
        keys(a.k_position ? a.k_position + h.k_begin : nullptr) {}

  int32_t query(int64_t i) const { return queries ? queries[i] : static_cast<int32_t>(i); }
  int32_t key(int64_t j) const { return keys ? keys[j] : static_cast<int32_t>(j); }

  const int32_t *queries, *keys;  // or null
};

struct KeyRange {
  int64_t begin, count;  // in the sequence
};

// A superset of the keys that the queries [begin, end) of a sequence attend to, in order, as ranges
// that do not cross tiles of `tile` keys.
std::vector<KeyRange> attended_tiles(const Attention& a, const SequenceHead& h, int64_t begin,
                                     int64_t end, int64_t tile);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_ATTENTION_ITEMS_H_
