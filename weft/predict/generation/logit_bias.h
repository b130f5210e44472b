// The value of --logit-bias.
#ifndef WEFT_PREDICT_GENERATION_LOGIT_BIAS_H_
#define WEFT_PREDICT_GENERATION_LOGIT_BIAS_H_

#include <span>
#include <string>

#include "weft/data/text/tokeniser.h"
#include "weft/decode/search/processors/logit_bias.h"

namespace weft::predict {

// Reads TOKEN:NUMBER. TOKEN is an id, a token as the vocabulary spells it, or a text of one token,
// the first of these that it may be; for NUMBER see LogitBias. Throws OptionError for anything
// else.
decode::LogitBias logit_bias(std::span<const std::string> values, const data::Tokeniser& tokeniser);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_LOGIT_BIAS_H_
