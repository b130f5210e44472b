// Well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef WEFT_CORE_UTF8_H_
#define WEFT_CORE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// Bytes of the code point that `text` starts with; 0 where it is malformed, cut off or empty.
size_t utf8_length(std::string_view text);

// The same, its value going to `c`.
size_t decode_code_point(std::string_view text, char32_t& c);

bool valid_utf8(std::string_view text);

// `text` with each byte that belongs to no well-formed code point replaced by U+FFFD.
std::string repair_utf8(std::string_view text);

}  // namespace weft

#endif  // WEFT_CORE_UTF8_H_
