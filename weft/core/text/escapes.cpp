#include "weft/core/text/escapes.h"

namespace weft {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\\': out += "\\\\"; break;
      default: out += c;
    }
  }
  return out;
}

std::string unescaped(std::string_view line) {
  constexpr std::string_view kSpelled = "nrt\\", kMeant = "\n\r\t\\";
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    const size_t letter =
        line[i] == '\\' && i + 1 < line.size() ? kSpelled.find(line[i + 1]) : kSpelled.npos;
    out += letter == kSpelled.npos ? line[i] : kMeant[letter];
    i += letter == kSpelled.npos ? 0 : 1;
  }
  return out;
}

}  // namespace weft
