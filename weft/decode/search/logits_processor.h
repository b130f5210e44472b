// Rules that change the scores of the next token before one is selected.
#ifndef WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_
#define WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "weft/decode/search/constraints.h"

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

// Each rule is called with the hypothesis's tokens so far.
using HypothesisTokens = std::span<const int32_t>;

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

// None of these sequences of tokens; requests share the list.
struct BannedPhrases {
  std::shared_ptr<const std::vector<Phrase>> phrases;  // none of them empty

  explicit BannedPhrases(std::vector<Phrase> list)
      : phrases(std::make_shared<const std::vector<Phrase>>(std::move(list))) {}
  void operator()(HypothesisTokens so_far, TokenScores& next) const;
};

using LogitsProcessor = std::variant<RepetitionPenalty, NoRepeatNgram, BannedPhrases>;

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_
