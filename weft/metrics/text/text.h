// Text with Python's definitions of code points and whitespace, on which sacreBLEU relies.
#ifndef WEFT_METRICS_TEXT_TEXT_H_
#define WEFT_METRICS_TEXT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

// Decodes UTF-8. A byte b that is not part of a valid code point becomes U+DC00 + b, as in Python's
// surrogateescape, so that decoding is lossless and never throws.
std::u32string decode_utf8(std::string_view text);
// The inverse of decode_utf8.
std::string encode_utf8(std::u32string_view text);

// Whitespace as in Python's str.isspace(), a superset of Unicode's White_Space.
bool is_space(char32_t c);

// Removes whitespace at both ends, as str.strip().
std::u32string_view trim(std::u32string_view text);

// Splits at runs of whitespace, as str.split().
std::vector<std::u32string> split(std::u32string_view text);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_TEXT_H_
