// Characters whose upper case is several characters, in order.
#ifndef WEFT_CORE_TEXT_UPPER_CASE_TABLE_H_
#define WEFT_CORE_TEXT_UPPER_CASE_TABLE_H_

#include <span>
#include <string_view>

namespace weft {

struct UpperCase {
  char32_t character;
  std::u32string_view upper;
};
extern const std::span<const UpperCase> kUpperCases;

}  // namespace weft

#endif  // WEFT_CORE_TEXT_UPPER_CASE_TABLE_H_
