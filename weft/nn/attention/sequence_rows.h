// The rows of a cache that prompts and hypotheses have, in the layers of one attention pattern.
#ifndef WEFT_NN_ATTENTION_SEQUENCE_ROWS_H_
#define WEFT_NN_ATTENTION_SEQUENCE_ROWS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/kernels/attention.h"
#include "weft/nn/attention/row_pool.h"

namespace weft::nn {

// Which cached rows each row of a pass attends to, the first position first. Rows of one prompt
// share a list.
using RowLists = std::vector<std::span<const int32_t>>;

// A slot has a prompt, which passes extend, and hypotheses, which continue it. Rows that begin
// alike are shared and counted. Rows that the pattern hides from all later positions are freed, so
// that those of a window take bounded memory; the last kDroppable rows of a prompt can be dropped
// all the same.
class SequenceRows {
 public:
  static constexpr int64_t kDroppable = 64;

  explicit SequenceRows(const kernels::AttentionPattern& pattern) : pattern_(pattern) {}

  const kernels::AttentionPattern& pattern() const { return pattern_; }
  int64_t capacity() const { return pool_.capacity(); }
  int64_t held() const { return pool_.held(); }

  void release(int32_t slot);
  int64_t prompt_rows(int32_t slot) const { return prompt_of(slot).end(); }
  // Whether a prompt still has the rows that are seen from behind its first `count`.
  bool has_beginning(int32_t slot, int64_t count) const;
  // The prompt in `to` becomes the first `count` rows of that in `from`. Requires
  // has_beginning(from, count), and no rows in `to`.
  void share(int32_t from, int32_t to, int64_t count);
  // The one hypothesis of a slot becomes its prompt.
  void keep_hypothesis(int32_t slot);
  // Drops the rows of a prompt behind the first `count`. Requires has_beginning(slot, count).
  void crop(int32_t slot, int64_t count);

  void begin_pass();
  // Adds rows to the pass: the next `count` of a prompt, or one for each hypothesis of a slot,
  // which continues hypothesis parents[i] of its last step, or the prompt where that is -1.
  void extend_prompt(int32_t slot, int64_t count);
  void continue_hypotheses(int32_t slot, std::span<const int32_t> parents);

  // Of the rows of the pass: what each attends to, itself included, the position of the first row
  // of that, the position of the row and its number.
  const RowLists& attended() const { return attended_; }
  const std::vector<int32_t>& first_positions() const { return first_positions_; }
  const std::vector<int32_t>& positions() const { return positions_; }
  const std::vector<int32_t>& numbers() const { return numbers_; }

 private:
  // Rows of consecutive positions.
  struct Path {
    std::vector<int32_t> rows;
    int64_t first = 0;  // position
    int64_t end() const { return first + std::ssize(rows); }
  };
  struct Slot {
    Path prompt;
    std::vector<Path> hypotheses;  // after the last step
  };

  Slot& slot_of(int32_t slot);
  const Path& prompt_of(int32_t slot) const;
  void release(const Path& path) { pool_.release(path.rows); }
  void free_hidden(Path& path);
  void add_to_pass(const Path& path, int64_t position);

  kernels::AttentionPattern pattern_;
  RowPool pool_;
  std::vector<Slot> slots_;
  RowLists attended_;
  std::vector<int32_t> first_positions_, positions_, numbers_;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_SEQUENCE_ROWS_H_
