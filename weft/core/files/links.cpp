#include "weft/core/files/links.h"

#include <charconv>
#include <string>

#include "weft/core/error.h"

namespace weft {
namespace {

// False unless the whole word is a link.
bool parse_link(std::string_view word, Link& out) {
  const char* end = word.data() + word.size();
  const auto source = std::from_chars(word.data(), end, out.source);
  if (source.ec != std::errc() || source.ptr == end) return false;
  const char mark = *source.ptr;
  const auto target = std::from_chars(source.ptr + 1, end, out.target);
  out.is_sure = mark == '-';
  return (mark == '-' || mark == '?') && target.ec == std::errc() && target.ptr == end &&
         out.source >= 0 && out.target >= 0;
}

}  // namespace

std::vector<Link> parse_links(std::string_view line, std::string_view where) {
  constexpr std::string_view kSpace = " \t";
  std::vector<Link> out;
  for (size_t begin = line.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    if (!parse_link(word, out.emplace_back())) {
      fail<FormatError>(where, "expected links such as 0-0 1-2, got {}", quote(word));
    }
    begin = line.find_first_not_of(kSpace, end);
  }
  return out;
}

}  // namespace weft
