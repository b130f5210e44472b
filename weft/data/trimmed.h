// Text without the white space around it.
#ifndef WEFT_DATA_TRIMMED_H_
#define WEFT_DATA_TRIMMED_H_

#include <string_view>

namespace weft::data {

inline constexpr std::string_view kWhitespace = " \t\n\v\f\r";  // of ASCII

inline std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kWhitespace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhitespace) + 1 - begin);
}

}  // namespace weft::data

#endif  // WEFT_DATA_TRIMMED_H_
