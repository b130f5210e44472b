#include "weft/decode/search/stop_strings.h"

#include <algorithm>

namespace weft::decode {

std::optional<int64_t> StopStrings::find(std::span<const int32_t> tokens) const {
  if (strings.empty()) return std::nullopt;
  const std::string text = detokenise(tokens);
  size_t first = text.npos;
  for (const std::string& string : strings) first = std::min(first, text.find(string));
  if (first == text.npos) return std::nullopt;
  return static_cast<int64_t>(first);
}

}  // namespace weft::decode
