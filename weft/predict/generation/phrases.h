// Phrases that continuations must hold, or must not.
#ifndef WEFT_PREDICT_GENERATION_PHRASES_H_
#define WEFT_PREDICT_GENERATION_PHRASES_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"
#include "weft/decode/search/logits_processor.h"

namespace weft::predict {

// The tokens of a phrase behind another word: that of a vocabulary whose words begin with their
// space begins with one.
decode::Phrase phrase_in_text(std::string_view phrase, const data::Tokeniser& tokeniser);

// Bans each phrase, behind another word and at the beginning of a text. Empty ones are left out.
decode::BannedPhrases banned_in_text(const std::vector<std::string>& phrases,
                                     const data::Tokeniser& tokeniser);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_GENERATION_PHRASES_H_
