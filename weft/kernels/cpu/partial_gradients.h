// How backward attention is cut into items of work, and the partial gradients of rows that several
// items share.
#ifndef WEFT_KERNELS_CPU_PARTIAL_GRADIENTS_H_
#define WEFT_KERNELS_CPU_PARTIAL_GRADIENTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "weft/kernels/cpu/attention_items.h"

namespace weft::kernels::cpu {

// The items of a call and where they write. A long sentence is cut into groups of keys, each of
// which adds to the gradients of all queries, and heads that read the same keys into parts, each of
// which adds to the gradients of these keys. The first one writes to the gradients themselves, the
// others to partial gradients, which are added in their order once all are done. All of that is a
// function of the sentence alone, and with it the order of every sum.
class PartialGradients {
 public:
  // `cuts_keys`: whether there are groups of keys, or one of all.
  PartialGradients(const AttentionBackward& g, bool cuts_keys);

  const std::vector<GradientItem>& items() const { return items_; }
  // The call as an item runs it: its gradients are where the item writes.
  AttentionBackward call_of(const GradientItem& item);
  void add_up();

 private:
  // The partial gradients, in f32, of all but the first of some parts for the rows of a sentence.
  struct Rows {
    int64_t begin, rows, parts;
    std::vector<float> sums;  // [parts - 1, rows, cols]

    Rows(int64_t first_row, int64_t row_count, int64_t part_count, int64_t cols)
        : begin(first_row),
          rows(row_count),
          parts(part_count),
          sums(static_cast<size_t>((parts - 1) * rows * cols)) {}
    View of(int64_t part, const View& gradient);
    void add_to(const View& gradient);
  };
  using LongSentences = std::map<int64_t, Rows>;

  void cut(int64_t sentence, bool cuts_keys);

  const AttentionBackward& g_;
  std::vector<GradientItem> items_;
  LongSentences queries_, keys_, values_;
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PARTIAL_GRADIENTS_H_
