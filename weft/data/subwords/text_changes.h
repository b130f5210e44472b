// Changes of text that keep where its characters come from.
#ifndef WEFT_DATA_SUBWORDS_TEXT_CHANGES_H_
#define WEFT_DATA_SUBWORDS_TEXT_CHANGES_H_

#include <string_view>

#include "weft/data/subwords/aligned_text.h"
#include "weft/data/subwords/pattern.h"

namespace weft::data {

// Each match of the pattern becomes `content`, which comes from the end of the match.
AlignedText replaced(AlignedText text, const Pattern& pattern, std::string_view content);
// Each byte becomes its printable character (byte_characters.h).
AlignedText characters_of_bytes(const AlignedText& text);
AlignedText in_normal_form(AlignedText text, NormalForm form);
AlignedText in_lower_case(AlignedText text);
// Without the characters that have one of these bits of CharacterClass.
AlignedText without(AlignedText text, uint16_t classes);
// Without spaces at the beginning and at the end.
AlignedText stripped(const AlignedText& text, bool left, bool right);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_TEXT_CHANGES_H_
