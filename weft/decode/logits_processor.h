// Rules that change the scores of the next token before a search chooses among them.
#ifndef WEFT_DECODE_LOGITS_PROCESSOR_H_
#define WEFT_DECODE_LOGITS_PROCESSOR_H_

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace weft::decode {

// The logit of what may not follow.
inline constexpr float kNever = -std::numeric_limits<float>::infinity();

// What the model says of each token that may follow one hypothesis.
struct TokenScores {
  std::span<float> logits;  // [C]
  double log_sum = 0;       // log p of a token is its logit less this, whatever the rules change
  // Those that the first columns stand for, rising; where it is empty, column c is of token c.
  std::span<const int32_t> tokens = {};

  float* find(int32_t token) const;  // null where it has no column
  void forbid(int32_t token) const {
    if (float* const logit = find(token)) *logit = kNever;
  }
};

// Each rule is called with the hypothesis's tokens so far.
using HypothesisTokens = std::span<const int32_t>;

// No end before so many tokens.
struct MinLength {
  int64_t tokens = 0;
  int32_t end_id = 0;
  void operator()(HypothesisTokens so_far, TokenScores& next) const;
};

// Multiplies log p of each token that the hypothesis holds (Keskar et al. 2019, arXiv 1909.05858,
// on log-probabilities as in Transformers): above 1 they become less probable.
struct RepetitionPenalty {
  double factor = 1;
  void operator()(HypothesisTokens so_far, TokenScores& next) const;
};

// No n-gram twice (Paulus et al. 2017, arXiv 1705.04304).
struct NoRepeatNgram {
  int64_t size = 3;
  void operator()(HypothesisTokens so_far, TokenScores& next) const;
};

// None of these sequences of tokens.
struct BannedPhrases {
  std::vector<std::vector<int32_t>> phrases;  // none of them empty
  void operator()(HypothesisTokens so_far, TokenScores& next) const;
};

using LogitsProcessor = std::variant<MinLength, RepetitionPenalty, NoRepeatNgram, BannedPhrases>;

}  // namespace weft::decode

#endif  // WEFT_DECODE_LOGITS_PROCESSOR_H_
