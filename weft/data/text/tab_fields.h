// The fields of a line with tabs between them.
#ifndef WEFT_DATA_TEXT_TAB_FIELDS_H_
#define WEFT_DATA_TEXT_TAB_FIELDS_H_

#include <algorithm>
#include <string_view>
#include <vector>

namespace weft::data {

// Calls take(field) for each, which may be empty: for one of an empty line.
template <class Take>
void for_each_tab_field(std::string_view line, Take&& take) {
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    take(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

inline std::vector<std::string_view> tab_fields(std::string_view line) {
  std::vector<std::string_view> out;
  for_each_tab_field(line, [&](std::string_view field) { out.push_back(field); });
  return out;
}

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_TAB_FIELDS_H_
