#ifndef WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_PENALTIES_H_
#define WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_PENALTIES_H_

#include "weft/decode/search/processors/token_scores.h"
#include "weft/options/fields.h"

namespace weft::decode {

// Lowers the logits of tokens that are among the last `last_n` of prompt and hypothesis, as
// llama.cpp does. Of a token that occurs c > 0 times there, the logit x becomes
//   (x > 0 ? x / repetition : x * repetition) - c * frequency - presence
// (Keskar et al. 2019, arXiv 1909.05858, with a product for negative logits; the other two are
// OpenAI's).
struct TokenPenalties {
  double repetition = 1;
  double frequency = 0, presence = 0;
  int64_t last_n = 64;

  void operator()(const TokenHistory& history, TokenScores& next) const;
  bool is_on() const { return repetition != 1 || frequency != 0 || presence != 0; }
  // Throws OptionError for a window that nothing reads.
  void validate() const;

  template <class V>
  void fields(V& v) {
    v("repetition-penalty", repetition,
      {.help = "divide the logits of tokens that occur in the last --repeat-last-n tokens by this, "
               "or multiply those below 0; 1: do not (Keskar et al. 2019, arXiv 1909.05858)",
       .min = 0.01,
       .max = 100,
       .alias = "repeat-penalty"});
    v("frequency-penalty", frequency,
      {.help = "subtract this from the logit of a token for each time it occurs there",
       .min = -100,
       .max = 100});
    v("presence-penalty", presence,
      {.help = "subtract this from the logit of a token that occurs there",
       .min = -100,
       .max = 100});
    v("repeat-last-n", last_n,
      {.help = "tokens of prompt and continuation that these three penalties count, the last ones",
       .min = 1,
       .max = 1e9});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_PROCESSORS_TOKEN_PENALTIES_H_
