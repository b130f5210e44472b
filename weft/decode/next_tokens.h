// What a search may go on with: some tokens for each row of logits, and log p of each.
#ifndef WEFT_DECODE_NEXT_TOKENS_H_
#define WEFT_DECODE_NEXT_TOKENS_H_

#include <functional>
#include <span>
#include <vector>

#include "weft/decode/logits_processor.h"
#include "weft/tensor/tensor.h"

namespace weft::decode {

struct ScoredToken {
  double log_probability;
  int32_t token;
};

// The tokens that the columns of each row stand for (TokenScores::tokens), or none for all rows.
using Columns = std::span<const std::span<const int32_t>>;

// Changes the scores of row w.
using Adjust = std::function<void(int64_t w, TokenScores& scores)>;

// Keeps its memory from step to step. How tokens are chosen is up to what derives from it.
class NextTokens {
 public:
  // With `is_normalised`, scores that come in are log-probabilities as they are, without a softmax.
  explicit NextTokens(bool is_normalised = false) : is_normalised_(is_normalised) {}

  // Those of row w in their order, at most so many as were asked for.
  std::span<const ScoredToken> row(int64_t w) const {
    return std::span(found_).subspan(w * most_, counts_[w]);
  }
  // log p of any token after row w, -inf where it is forbidden, while the logits that were looked
  // through live.
  double log_probability(int64_t w, int32_t token) const;

 protected:
  // Finds the softmax of logits [W, C] (F32) unless they are normalised, then adjusts them in
  // place, and makes room for `most` tokens a row. `columns` have to live as long as the logits.
  // Throws NumericError when the best of a row is not finite.
  void begin(const Tensor& logits, Columns columns, int64_t most, const Adjust& adjust);
  float* logits_of(int64_t w) const { return logits_ + w * stride_; }
  void set_count(int64_t w, int64_t count) { counts_[w] = static_cast<int32_t>(count); }
  void set(int64_t w, int64_t i, float logit, int32_t column) {
    const std::span<const int32_t> tokens = tokens_of(w);
    found_[w * most_ + i] = {double{logit - top_[w]} - log_sums_[w],
                             tokens.empty() ? column : tokens[column]};
  }

 private:
  std::span<const int32_t> tokens_of(int64_t w) const {
    return columns_.empty() ? std::span<const int32_t>() : columns_[w];
  }
  TokenScores scores_of(int64_t w) const;

  bool is_normalised_;
  int64_t most_ = 0;
  float* logits_ = nullptr;
  int64_t stride_ = 0, width_ = 0;
  Columns columns_;
  std::vector<ScoredToken> found_;         // [W, most]
  std::vector<int32_t> counts_;            // [W]
  std::vector<int32_t> best_;              // [W]
  std::vector<float> top_;                 // [W]
  std::vector<double> losses_, log_sums_;  // log sum exp(x - top)
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_NEXT_TOKENS_H_
