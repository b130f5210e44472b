// How attention is cut into items of work, and the rows and keys of an item.
#ifndef WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_
#define WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "weft/core/parallel.h"
#include "weft/kernels/attention.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"
#include "weft/kernels/linear_attention.h"

namespace weft::kernels::cpu {

// One head of one sentence; `begin` is the first row of a block, counted in the sentence.
struct AttentionItem {
  int64_t sentence, head, begin;
};

// Heads `head` to `head + heads` of one sentence, which read one head of keys, and of these keys
// `begin` to `end`, counted in the sentence.
struct GradientItem {
  int64_t sentence, head, heads, begin, end;
};

// One item for each sentence, head and block of `block` rows, in that order.
std::vector<AttentionItem> attention_items(std::span<const int32_t> offsets, int64_t heads,
                                           int64_t block);

// The most blocks of queries in an item: as many as find room in the second-level cache.
inline constexpr int64_t kItemBlocks = 16;

// Blocks of `block` queries to an item, so that every thread gets some; a query's result does not
// depend on it.
int64_t blocks_of_item(const Attention& a, int64_t block);

// The multiplications of all scores.
int64_t attention_work(const Attention& a);

// Calls body(item) for each, taken in turn as threads become free; one thread does it all where
// `work` multiplications are not worth waking another.
template <class Item, class Body>
void for_each_item(const std::vector<Item>& items, int64_t work, Body&& body) {
  constexpr int64_t kWorthAThread = 100000;
  const auto count = static_cast<int64_t>(items.size());
  std::atomic<int64_t> next{0};
  parallel_for(std::min(count, work / kWorthAThread + 1), 1, [&](int64_t, int64_t) {
    for (int64_t i = next++; i < count; i = next++) body(items[i]);
  });
}

// One head of queries in one sentence, and the head of keys that it reads.
struct SentenceHead {
  SentenceHead(const Attention& a, int64_t sentence, int64_t of)
      : SentenceHead(a, sentence, of, a.heads / a.group()) {}
  SentenceHead(const LinearAttention& a, int64_t sentence, int64_t of)
      : SentenceHead(a, sentence, of, a.heads) {}

  // Rows `begin` to `end` of the sentence, the columns of the head.
  template <class T>
  Matrix<T> query_rows(const View& x, int64_t begin, int64_t end) const {
    return columns<T>(x, q_begin + begin, q_begin + end, head, heads);
  }
  template <class T>
  Matrix<T> key_rows(const View& x, int64_t begin, int64_t end) const {
    return columns<T>(x, k_begin + begin, k_begin + end, head / (heads / key_heads), key_heads);
  }
  // The end of the keys that queries up to `end` attend to.
  int64_t attended(int64_t end) const { return causal ? std::min(keys, end) : keys; }

  int64_t q_begin, queries, k_begin, keys;  // rows
  int64_t head, heads, key_heads;
  bool causal;

 private:
  template <class Call>
  SentenceHead(const Call& a, int64_t sentence, int64_t of, int64_t of_keys)
      : q_begin(a.q_offsets[sentence]),
        queries(a.q_offsets[sentence + 1] - q_begin),
        k_begin(a.k_offsets[sentence]),
        keys(a.k_offsets[sentence + 1] - k_begin),
        head(of),
        heads(a.heads),
        key_heads(of_keys),
        causal(a.causal) {}
  template <class T>
  static Matrix<T> columns(const View& x, int64_t begin, int64_t end, int64_t which,
                           int64_t count) {
    const int64_t size = x.cols / count;
    return {x.as<T>().row(begin) + which * size, end - begin, size, x.stride};
  }
};

// Positions in one sentence: given, or the index.
struct SentencePositions {
  SentencePositions(const Attention& a, const SentenceHead& h)
      : queries(a.q_position ? a.q_position + h.q_begin : nullptr),
        keys(a.k_position ? a.k_position + h.k_begin : nullptr) {}

  int32_t query(int64_t i) const { return queries ? queries[i] : static_cast<int32_t>(i); }
  int32_t key(int64_t j) const { return keys ? keys[j] : static_cast<int32_t>(j); }

  const int32_t *queries, *keys;  // or null
};

struct KeyRange {
  int64_t begin, count;  // in the sentence
};

// The keys that queries `begin` to `end` of a sentence may attend to, in order: ranges inside tiles
// of `tile` keys. None of them attends to what is left out.
std::vector<KeyRange> attended_tiles(const Attention& a, const SentenceHead& h, int64_t begin,
                                     int64_t end, int64_t tile);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_
