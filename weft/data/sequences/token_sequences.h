// Texts as sequences of tokens that a language model is trained on, whole in memory.
#ifndef WEFT_DATA_SEQUENCES_TOKEN_SEQUENCES_H_
#define WEFT_DATA_SEQUENCES_TOKEN_SEQUENCES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/data/dataset.h"

namespace weft::data {

// The label of a row that has no loss.
inline constexpr int32_t kNoLabel = -1;

// An example is a part of a text of at most `max_length` rows: inputs and the token after each,
// which is its label. Parts of a text follow one another: the last label of one is the first input
// of the next, so that every token of a text but its first is a label once. A batch has two fields
// with the same segments: Tokens, the inputs, and Labels, an id for each row or kNoLabel.
class TokenSequences : public Dataset {
 public:
  // `max_length` >= 1.
  explicit TokenSequences(int64_t max_length) : max_length_(max_length) {}

  // Adds the tokens of a text, with its begin and end symbols. `is_label` says which tokens are
  // labels; empty: all but the first. A part without labels is left out.
  void add(std::span<const int32_t> ids, const std::vector<bool>& is_label = {});
  // Adds the first sequence of a text alone. Returns false if it has no label and is left out.
  bool add_first(std::span<const int32_t> ids, const std::vector<bool>& is_label);

  int64_t size() const override { return std::ssize(sequences_); }
  Cost cost(int64_t example) const override { return {.rows = sequences_[at(example)].rows}; }
  Batch batch(std::span<const int64_t> examples) const override;
  uint64_t fingerprint() const override;

  // Rows of the example that have a label.
  int64_t labels(int64_t example) const { return sequences_[at(example)].labels; }
  int64_t total_labels() const { return total_labels_; }

 private:
  struct Sequence {
    int64_t begin = 0;  // of its inputs in ids_
    int32_t rows = 0;
    int32_t labels = 0;
  };
  // Returns where the ids begin in ids_.
  int64_t append(std::span<const int32_t> ids, const std::vector<bool>& is_label);
  // Returns false for rows without labels.
  bool add_sequence(int64_t begin, int64_t rows);
  static size_t at(int64_t index) { return static_cast<size_t>(index); }

  int64_t max_length_;
  std::vector<int32_t> ids_;    // of all texts
  std::vector<bool> is_label_;  // of each id
  std::vector<Sequence> sequences_;
  int64_t total_labels_ = 0;
};

}  // namespace weft::data

#endif  // WEFT_DATA_SEQUENCES_TOKEN_SEQUENCES_H_
