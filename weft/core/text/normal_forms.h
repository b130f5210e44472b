// Unicode normal forms (UAX #15) and lower case, character by character, by utf8proc.
#ifndef WEFT_CORE_TEXT_NORMAL_FORMS_H_
#define WEFT_CORE_TEXT_NORMAL_FORMS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {

enum class NormalForm { kNfc, kNfd, kNfkc, kNfkd };

// A character of new text, and what it replaces in the text that it is made of: 1: nothing, it is
// inserted; 0: the next character; -n: the next n + 1 characters.
struct ChangedCharacter {
  char32_t c;
  int32_t change;
};

// The text in a normal form.
std::vector<ChangedCharacter> normal_form(std::u32string_view text, NormalForm form);

// Each character in lower case, without regard to its neighbours (no final sigma).
std::vector<ChangedCharacter> lower_case(std::u32string_view text);

// Whether the grapheme cluster (UAX #29) goes on at `c`, the character after the one that the last
// call had. `state` is 0 at the beginning of a text.
bool continues_grapheme(char32_t before, char32_t c, int32_t& state);

}  // namespace weft

#endif  // WEFT_CORE_TEXT_NORMAL_FORMS_H_
