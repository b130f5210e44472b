// Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef WEFT_CORE_TEXT_UTF8_H_
#define WEFT_CORE_TEXT_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// The number of bytes of the first code point of `text`; 0 if it is malformed, truncated or empty.
size_t utf8_length(std::string_view text);

// Returns the same and stores the code point in `c`.
size_t decode_code_point(std::string_view text, char32_t& c);

// Appends a code point. A surrogate becomes three bytes that are not UTF-8.
void append_utf8(char32_t c, std::string& out);

bool valid_utf8(std::string_view text);

// Replaces each byte that is not part of a well-formed code point by U+FFFD.
std::string repair_utf8(std::string_view text);

}  // namespace weft

#endif  // WEFT_CORE_TEXT_UTF8_H_
