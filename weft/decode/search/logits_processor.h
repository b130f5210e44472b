// Rules that change the scores of the next token before one is selected.
#ifndef WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_
#define WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "weft/decode/search/constraints.h"
#include "weft/decode/search/processors/dry.h"
#include "weft/decode/search/processors/logit_bias.h"
#include "weft/decode/search/processors/token_penalties.h"
#include "weft/decode/search/processors/token_scores.h"

namespace weft::decode {

// A rule is called with the tokens before the next one; those of this file read the hypothesis's
// own alone.

// Multiplies log p of each token that the hypothesis holds (Keskar et al. 2019, arXiv 1909.05858,
// on log-probabilities as in Transformers): above 1 they become less probable.
struct RepetitionPenalty {
  double factor = 1;
  void operator()(const TokenHistory& history, TokenScores& next) const;
};

// No n-gram twice (Paulus et al. 2017, arXiv 1705.04304).
struct NoRepeatNgram {
  int64_t size = 3;
  void operator()(const TokenHistory& history, TokenScores& next) const;
};

// None of these sequences of tokens; requests share the list.
struct BannedPhrases {
  std::shared_ptr<const std::vector<Phrase>> phrases;  // none of them empty

  explicit BannedPhrases(std::vector<Phrase> list)
      : phrases(std::make_shared<const std::vector<Phrase>>(std::move(list))) {}
  void operator()(const TokenHistory& history, TokenScores& next) const;
};

using LogitsProcessor =
    std::variant<RepetitionPenalty, NoRepeatNgram, BannedPhrases, LogitBias, TokenPenalties, Dry>;

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_LOGITS_PROCESSOR_H_
