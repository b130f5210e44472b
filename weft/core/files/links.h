// Word alignments in Pharaoh format: "0-0 1-2", zero-based source and target positions. "1?2" is a
// possible link, not a sure one (Och and Ney 2003).
#ifndef WEFT_CORE_FILES_LINKS_H_
#define WEFT_CORE_FILES_LINKS_H_

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft {

struct Link {
  int32_t source = 0;
  int32_t target = 0;
  bool is_sure = true;

  auto operator<=>(const Link&) const = default;
};

// The links of a line. Throws FormatError, prefixed with `where`, for any other text.
std::vector<Link> parse_links(std::string_view line, std::string_view where);

}  // namespace weft

#endif  // WEFT_CORE_FILES_LINKS_H_
