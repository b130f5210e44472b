// Characters of texts, which Python counts in code points.
#ifndef WEFT_DATA_JINJA_CHARACTERS_H_
#define WEFT_DATA_JINJA_CHARACTERS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "weft/core/text/utf8.h"
#include "weft/data/jinja/marked_text.h"

namespace weft::data::jinja {

// What str.isspace() holds for.
constexpr bool is_python_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// The first character and its size in bytes; a byte that is not UTF-8 counts as a character.
inline size_t decode_character(std::string_view text, char32_t& c) {
  const size_t size = decode_code_point(text, c);
  if (size > 0) return size;
  c = 0xFFFD;
  return 1;
}

// Calls take(begin, end) with the bytes of each character.
template <class Take>
void for_each_character(const MarkedText& text, Take take) {
  const std::string_view all = text.text();
  char32_t c = 0;
  for (size_t i = 0; i < all.size();) {
    const size_t end = i + decode_character(all.substr(i), c);
    take(i, end);
    i = end;
  }
}

// The beginning of the last character.
inline size_t last_character(std::string_view text) {
  size_t i = text.size();
  do {
    --i;
  } while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80);
  return i;
}

inline int64_t character_count(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// The bytes before the character `index`, or all of them.
inline size_t byte_offset(std::string_view text, int64_t index) {
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && index-- == 0) break;
  }
  return i;
}

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_CHARACTERS_H_
