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

// The multiplications of all scores.
int64_t attention_work(const Attention& a);

// Calls body(item) for each, taken in turn as threads become free; one thread does it all where
// `work` multiplications are not worth waking another.
template <class Body>
void for_each_item(const std::vector<AttentionItem>& items, int64_t work, Body&& body) {
  constexpr int64_t kWorthAThread = 100000;
  const auto count = static_cast<int64_t>(items.size());
  std::atomic<int64_t> next{0};
  parallel_for(std::min(count, work / kWorthAThread + 1), 1, [&](int64_t, int64_t) {
    for (int64_t i = next++; i < count; i = next++) body(items[i]);
  });
}

// A long sentence, cut into parts that give to the same rows of a gradient: the first part writes
// there, the others into shares, which are added in their order once all are done.
struct SharedRows {
  int64_t begin, rows, parts;
  std::vector<float> shares;  // [parts - 1, rows, cols]

  SharedRows(int64_t first_row, int64_t row_count, int64_t part_count, int64_t cols)
      : begin(first_row), rows(row_count), parts(part_count), shares((parts - 1) * rows * cols) {}
  // Where a part writes, as if it were all of `gradient`.
  View of(int64_t part, const View& gradient);
  void add_to(const View& gradient);
};

// Rows `begin` to `end` of a view, the columns of one head.
template <class T>
Matrix<T> head_rows(const View& x, int64_t begin, int64_t end, int64_t head, int64_t heads) {
  const int64_t size = x.cols / heads;
  return {x.as<T>().row(begin) + head * size, end - begin, size, x.stride};
}

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_ITEMS_H_
