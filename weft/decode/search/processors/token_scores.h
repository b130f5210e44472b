// What a rule about the next token reads and changes.
#ifndef WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_SCORES_H_
#define WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_SCORES_H_

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace weft::decode {

// The logit of a token that may not follow.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

// The model's scores of each token that may follow one hypothesis.
struct TokenScores {
  std::span<float> logits;  // [C]
  double log_sum = 0;       // log p = logit - log_sum, whatever the rules change
  // The tokens of the first columns, in rising order; empty: column c is of token c.
  std::span<const int32_t> tokens = {};

  float* find(int32_t token) const;  // null where it has no column
  void forbid(int32_t token) const {
    if (float* const logit = find(token)) *logit = kNever;
  }
};

// The tokens before the next one.
struct TokenHistory {
  std::span<const int32_t> prompt;  // what the decoder reads before the hypothesis
  std::span<const int32_t> tokens;  // of the hypothesis so far

  // The last `count` of both together, in order.
  std::vector<int32_t> last(int64_t count) const;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_SCORES_H_
