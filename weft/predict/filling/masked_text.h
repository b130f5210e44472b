// Lines in which a mask symbol stands for tokens: as token ids, and with masks filled.
#ifndef WEFT_PREDICT_FILLING_MASKED_TEXT_H_
#define WEFT_PREDICT_FILLING_MASKED_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::predict {

struct MaskedText {
  // What is before, between and behind the masks: one more than there are masks.
  std::vector<std::string> parts;
  std::vector<int32_t> ids;    // without special symbols but masks
  std::vector<int32_t> masks;  // where each mask is in `ids`
};

// How masks are spelled and what they are to the model.
struct MaskSymbol {
  std::string text;  // in lines
  int32_t id = 0;    // may be beyond the tokeniser's
};

// Spaces before a mask are part of what it stands for, as they are of most tokens in the middle of
// a text, except by characters.
MaskedText read_masked_text(const data::Tokeniser& tokeniser, const MaskSymbol& mask,
                            std::string_view line);

// The text of a token by itself.
std::string text_of_token(const data::Tokeniser& tokeniser, int32_t token);

// The line with these tokens in the place of its masks: with a space before a token that begins a
// word behind a letter or digit, and without one before a token that goes on.
std::string filled_text(const data::Tokeniser& tokeniser, const MaskedText& text,
                        std::span<const int32_t> tokens);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_FILLING_MASKED_TEXT_H_
