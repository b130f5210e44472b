// How attention is cut into items of work.
#ifndef WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_
#define WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "weft/core/parallel.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/cpu/scratch.h"

namespace weft::kernels::cpu {

// One head of one sentence; `begin` is the first row of a block, counted in the sentence.
struct AttentionItem {
  int64_t sentence, head, begin;
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

// Rows `begin` to `end` of a view, the columns of one head.
template <class T>
Matrix<T> head_rows(const View& x, int64_t begin, int64_t end, int64_t head, int64_t heads) {
  const int64_t size = x.cols / heads;
  return {x.as<T>().row(begin) + head * size, end - begin, size, x.stride};
}

// The same of keys or values: the columns that a head of queries reads.
template <class T>
Matrix<T> key_head_rows(const Attention& a, const View& x, int64_t begin, int64_t end,
                        int64_t head) {
  return head_rows<T>(x, begin, end, a.key_head_of(head), a.heads / a.group());
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_
