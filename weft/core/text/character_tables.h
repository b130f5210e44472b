// The classes of characters that Hugging Face's tokenizers distinguish, as ranges in order.
#ifndef WEFT_CORE_TEXT_CHARACTER_TABLES_H_
#define WEFT_CORE_TEXT_CHARACTER_TABLES_H_

#include "weft/core/text/character_range.h"

namespace weft {

extern const std::span<const CharacterRange> kLetters;  // \p{L} of its regular expressions
extern const std::span<const CharacterRange> kNumbers;  // \p{N}
extern const std::span<const CharacterRange> kMarks;    // \p{M}
extern const std::span<const CharacterRange> kNumericCharacters;  // split by Digits
extern const std::span<const CharacterRange> kBertPunctuation;    // split by Punctuation
extern const std::span<const CharacterRange> kBertNonspacing;     // removed with accents
extern const std::span<const CharacterRange> kBertControl;        // removed by clean_text
extern const std::span<const CharacterRange> kCombining;          // removed by StripAccents

}  // namespace weft

#endif  // WEFT_CORE_TEXT_CHARACTER_TABLES_H_
