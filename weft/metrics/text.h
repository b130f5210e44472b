// Text as Python sees it, which sacreBLEU's definitions rest on: code points and white space.
#ifndef WEFT_METRICS_TEXT_H_
#define WEFT_METRICS_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

// Code points of UTF-8 text. A byte b that is no part of a character becomes U+DC00 + b, as with
// Python's surrogateescape, so that nothing is lost and nothing throws.
std::u32string decode_utf8(std::string_view text);
// The inverse of decode_utf8.
std::string encode_utf8(std::u32string_view text);

// White space as str.isspace() has it, which is more than Unicode's White_Space.
bool is_space(char32_t c);

// Without the white space at both ends, as str.strip().
std::u32string_view trim(std::u32string_view text);

// The runs between white space, as str.split().
std::vector<std::u32string> split(std::u32string_view text);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_H_
