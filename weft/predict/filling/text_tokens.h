// The tokens of a vocabulary that spell text.
#ifndef WEFT_PREDICT_FILLING_TEXT_TOKENS_H_
#define WEFT_PREDICT_FILLING_TEXT_TOKENS_H_

#include <cstdint>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::predict {

// In ascending order: all but special symbols and the unknown token. Throws FormatError where there
// is none.
std::vector<int32_t> text_tokens(const data::Tokeniser& tokeniser);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_FILLING_TEXT_TOKENS_H_
