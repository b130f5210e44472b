#ifndef WEFT_DECODE_SEARCH_PROCESSORS_DRY_H_
#define WEFT_DECODE_SEARCH_PROCESSORS_DRY_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/decode/search/processors/token_scores.h"
#include "weft/options/fields.h"

namespace weft::decode {

struct DryOptions {
  double multiplier = 0;
  double base = 1.75;
  int64_t allowed_length = 2;
  int64_t last_n = 64;
  std::vector<std::string> sequence_breakers = {"\n", ":", "\"", "*"};

  bool is_on() const { return multiplier > 0; }
  // Throws OptionError for an empty breaker and for options that nothing reads.
  void validate() const;

  template <class V>
  void fields(V& v) {
    v("dry-multiplier", multiplier,
      {.help = "DRY: subtract this times --dry-base ^ (n - --dry-allowed-length) from the logit of "
               "a token that would repeat n tokens and itself; 0: do not",
       .min = 0,
       .max = 1000});
    v("dry-base", base, {.help = "base of the penalty of DRY", .min = 1, .max = 1000});
    v("dry-allowed-length", allowed_length,
      {.help = "shortest sequence of tokens whose continuation DRY penalises",
       .min = 1,
       .max = 1e6});
    v("dry-last-n", last_n,
      {.help = "tokens of prompt and continuation in which DRY looks for repetitions, the last "
               "ones",
       .min = 1,
       .max = 1e9,
       .alias = "dry-penalty-last-n"});
    v("dry-sequence-breakers", sequence_breakers,
      {.help = "strings that a repetition does not cross, in place of line break, colon, quotation "
               "mark and asterisk",
       .alias = "dry-sequence-breaker"});
  }
};

// Lowers the logit of a token that would make the end of prompt and hypothesis a longer repetition
// of what is in their last `last_n` tokens: by multiplier * base^(n - allowed_length), where n >=
// allowed_length is the length of the longest end that the token has followed before ("don't repeat
// yourself", P. E. Weidmann 2024, github.com/oobabooga/text-generation-webui/pull/5677; the
// semantics of llama.cpp). A repetition begins behind the last sequence breaker, and tokens that
// have one in their text are not penalised.
struct Dry {
  DryOptions options;
  std::function<std::string(int32_t token)> text_of;  // in a text; where there are breakers

  void operator()(const TokenHistory& history, TokenScores& next) const;

 private:
  int64_t tokens_behind_breaker(std::span<const int32_t> tokens) const;
  bool holds_breaker(int32_t token) const;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_PROCESSORS_DRY_H_
