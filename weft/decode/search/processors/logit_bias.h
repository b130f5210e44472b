#ifndef WEFT_DECODE_SEARCH_PROCESSORS_LOGIT_BIAS_H_
#define WEFT_DECODE_SEARCH_PROCESSORS_LOGIT_BIAS_H_

#include <vector>

#include "weft/decode/search/processors/token_scores.h"

namespace weft::decode {

// Adds to the logits of single tokens.
struct LogitBias {
  static constexpr float kMost = 1e6;
  struct TokenBias {
    int32_t token;
    float bias;  // -kMost to kMost, or -inf: the token never follows
  };
  std::vector<TokenBias> biases;

  void operator()(const TokenHistory&, TokenScores& next) const {
    for (const auto& [token, bias] : biases) {
      if (float* const logit = next.find(token)) *logit += bias;
    }
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_PROCESSORS_LOGIT_BIAS_H_
