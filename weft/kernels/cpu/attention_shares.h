// How backward attention is cut into items of work, and what several of them give to the same rows.
#ifndef WEFT_KERNELS_CPU_ATTENTION_SHARES_H_
#define WEFT_KERNELS_CPU_ATTENTION_SHARES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

// Heads `head` to `head + heads` of one sentence, which read one head of keys, and of these keys
// `begin` to `end`, counted in the sentence.
struct GradientItem {
  int64_t sentence, head, heads, begin, end;
};

// The items of a call and where they write. A long sentence is cut into groups of keys, each of
// which gives to the gradients of all queries, and heads that read the same keys into parts, each
// of which gives to the gradients of these keys. The first one writes to the gradients themselves,
// the others into shares, which are added in their order once all are done. All of that is a
// function of the sentence alone, and with it the order of every sum.
class GradientShares {
 public:
  // `cuts_keys`: whether there are groups of keys, or one of all.
  GradientShares(const AttentionGradient& g, bool cuts_keys);

  const std::vector<GradientItem>& items() const { return items_; }
  // The call as an item sees it.
  AttentionGradient of(const GradientItem& item);
  void add();

 private:
  // What all but the first of some parts give to the rows of a sentence, in f32.
  struct Rows {
    int64_t begin, rows, parts;
    std::vector<float> shares;  // [parts - 1, rows, cols]

    Rows(int64_t first_row, int64_t row_count, int64_t part_count, int64_t cols)
        : begin(first_row),
          rows(row_count),
          parts(part_count),
          shares(static_cast<size_t>((parts - 1) * rows * cols)) {}
    View of(int64_t part, const View& gradient);
    void add_to(const View& gradient);
  };
  using LongSentences = std::map<int64_t, Rows>;

  void cut(int64_t sentence, bool cuts_keys);

  const AttentionGradient& g_;
  std::vector<GradientItem> items_;
  LongSentences queries_, keys_, values_;
};

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_ATTENTION_SHARES_H_
