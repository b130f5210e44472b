// Partitioning of backward attention into work items, and partial gradients of rows that several
// items contribute to.
#ifndef WEFT_KERNELS_CPU_ATTENTION_PARTIAL_GRADIENTS_H_
#define WEFT_KERNELS_CPU_ATTENTION_PARTIAL_GRADIENTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "weft/kernels/cpu/attention/attention_items.h"

namespace weft::kernels::cpu {

// The items of a call and their outputs. A long sequence is split into groups of keys, which all
// contribute to the gradients of its queries, and the heads that share keys into parts, which all
// contribute to the gradients of these keys. The first item writes to the gradients, the others to
// partial gradients, which are added in order at the end. The partition depends on the sequence
// only, and so does the order of every sum.
class PartialGradients {
 public:
  // `split_keys`: whether to split long sequences into groups of keys.
  PartialGradients(const AttentionBackward& g, bool split_keys);

  const std::vector<GradientItem>& items() const { return items_; }
  // The call of an item, with its gradients set to the outputs of the item.
  AttentionBackward call_of(const GradientItem& item);
  void accumulate();

 private:
  // The F32 partial gradients of all parts but the first, for the rows of a sequence.
  struct Rows {
    int64_t begin, rows, parts;
    std::vector<float> sums;  // [parts - 1, rows, cols]

    Rows(int64_t first_row, int64_t row_count, int64_t part_count, int64_t cols)
        : begin(first_row),
          rows(row_count),
          parts(part_count),
          sums(static_cast<size_t>((parts - 1) * rows * cols)) {}
    View partial(int64_t part, const View& gradient);
    void add_to(const View& gradient);
  };
  using LongSequences = std::map<int64_t, Rows>;

  void split(int64_t sequence, bool split_keys);

  const AttentionBackward& g_;
  std::vector<GradientItem> items_;
  LongSequences queries_, keys_, values_;
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_PARTIAL_GRADIENTS_H_
