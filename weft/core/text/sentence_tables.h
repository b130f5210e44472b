// Characters at the ends of sentences (UAX #29), of Chinese and Japanese, and those that
// lower-casing looks at, as ranges in order.
#ifndef WEFT_CORE_TEXT_SENTENCE_TABLES_H_
#define WEFT_CORE_TEXT_SENTENCE_TABLES_H_

#include "weft/core/text/character_range.h"

namespace weft {

extern const std::span<const CharacterRange> kFullStops;           // Sentence_Break=ATerm
extern const std::span<const CharacterRange> kTerminators;         // STerm
extern const std::span<const CharacterRange> kOpeningMarks;        // Close or Quotation_Mark
extern const std::span<const CharacterRange> kClosingMarks;        // the same, other than opening
extern const std::span<const CharacterRange> kSentenceSpaces;      // Sp
extern const std::span<const CharacterRange> kChineseAndJapanese;  // see is_chinese_or_japanese()
extern const std::span<const CharacterRange> kCased;               // Cased
extern const std::span<const CharacterRange> kCaseIgnorable;       // Case_Ignorable

}  // namespace weft

#endif  // WEFT_CORE_TEXT_SENTENCE_TABLES_H_
