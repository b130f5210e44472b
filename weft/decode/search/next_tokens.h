// The tokens that each row of a step may be continued with, and log p of each.
#ifndef WEFT_DECODE_SEARCH_NEXT_TOKENS_H_
#define WEFT_DECODE_SEARCH_NEXT_TOKENS_H_

#include <functional>
#include <span>
#include <vector>

#include "weft/decode/search/hypothesis.h"
#include "weft/decode/search/logits_processor.h"
#include "weft/decode/search/sampler.h"
#include "weft/decode/search/top_k.h"
#include "weft/tensor/tensor.h"

namespace weft::decode {

// What is wanted of one row of logits.
struct RowSelection {
  int64_t count = 1;  // tokens; 0: log_probability() alone is wanted
  int64_t width = 0;  // columns that belong to the row
  // The tokens of the first columns, in rising order; empty: column c is of token c. Columns behind
  // them are -inf.
  std::span<const int32_t> tokens = {};
  const Sampling* sampling = nullptr;  // null: the most probable tokens
  uint64_t stream = 0;                 // of the random numbers
};

// Changes the scores of row w.
using Adjust = std::function<void(int64_t w, TokenScores& scores)>;

// Keeps its memory from step to step.
class NextTokens {
 public:
  // With `is_normalised`, scores are log-probabilities already and no softmax is taken.
  explicit NextTokens(bool is_normalised = false) : is_normalised_(is_normalised) {}

  // Selects tokens from each row of logits [W, C] (F32): the most probable ones, the lower token
  // first of equals, or `count` draws, in which a token may occur again. Log-probabilities are by
  // the softmax over the row's columns, before `adjust` changes the scores in place. A row that is
  // not finite has no tokens, and one with fewer than `count` that are not forbidden has those. A
  // row's tokens do not depend on other rows.
  void find(const Tensor& logits, std::span<const RowSelection> rows, const Adjust& adjust = {});
  // The `count` most probable tokens of every row. Throws NumericError for a row that is not
  // finite.
  void find(const Tensor& logits, int64_t count, const Adjust& adjust = {});

  // Those of row w, in order.
  std::span<const ScoredToken> row(int64_t w) const {
    return std::span(found_).subspan(first_[w], counts_[w]);
  }
  // False where the largest logit or the softmax of row w is NaN or infinite.
  bool is_finite(int64_t w) const { return is_finite_[w] != 0; }
  // log p of any token after row w, -inf where it is forbidden. The logits given to find() have to
  // be alive.
  double log_probability(int64_t w, int32_t token) const;
  // The most probable tokens after row w, the best first: `count`, or all that are not forbidden.
  // The logits have to be alive.
  std::vector<ScoredToken> most_probable(int64_t w, int64_t count) const;

 private:
  void normalise(const Tensor& logits);
  void normalise(const Tensor& part, int64_t first_row);
  void select(int64_t w, std::vector<ScoredColumn>& columns, RowSampler& sampler);
  float* logits_of(int64_t w) const { return logits_ + w * stride_; }
  TokenScores scores_of(int64_t w) const;
  ScoredToken scored(int64_t w, const ScoredColumn& found) const;

  bool is_normalised_;
  float* logits_ = nullptr;
  int64_t stride_ = 0;
  std::vector<RowSelection> rows_;         // [W]
  std::vector<ScoredToken> found_;         // row after row
  std::vector<int64_t> first_, counts_;    // [W] of found_
  std::vector<int32_t> best_;              // [W]
  std::vector<float> top_;                 // [W]
  std::vector<double> losses_, log_sums_;  // [W] the latter is log sum exp(x - top)
  std::vector<uint8_t> is_finite_;         // [W]
};

// What a search fails with where a row is not finite.
[[noreturn]] void fail_not_finite();

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_NEXT_TOKENS_H_
