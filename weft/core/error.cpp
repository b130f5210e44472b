#include "weft/core/error.h"

#include <fmt/core.h>

namespace weft {
namespace {
using Values = std::initializer_list<MessageValue>;
}

template <class Kind>
void throw_error(std::string_view where, std::string_view text, Values values) {
  throw Kind(fmt::format("{}: {}", where, message(text, values)));
}
template void throw_error<Error>(std::string_view, std::string_view, Values);
template void throw_error<ShapeError>(std::string_view, std::string_view, Values);
template void throw_error<OptionError>(std::string_view, std::string_view, Values);
template void throw_error<FileError>(std::string_view, std::string_view, Values);
template void throw_error<FormatError>(std::string_view, std::string_view, Values);
template void throw_error<NumericError>(std::string_view, std::string_view, Values);

std::string quote(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '\n') {
      out += "\\n";
    } else if (byte == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  // Drop a code point that the limit cut in half.
  if (text.size() > kLongest)
    while ((static_cast<unsigned char>(text[kLongest]) & 0xC0) == 0x80 && out.size() > 1 &&
           (static_cast<unsigned char>(out.back()) & 0x80) != 0) {
      const bool is_first = (static_cast<unsigned char>(out.back()) & 0xC0) == 0xC0;
      out.pop_back();
      if (is_first) break;
    }
  return out + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace weft
