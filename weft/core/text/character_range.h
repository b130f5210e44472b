#ifndef WEFT_CORE_TEXT_CHARACTER_RANGE_H_
#define WEFT_CORE_TEXT_CHARACTER_RANGE_H_

#include <algorithm>
#include <span>

namespace weft {

struct CharacterRange {
  char32_t first, last;
};

// Whether one of the ranges, which are in order, holds the character.
inline bool contains(std::span<const CharacterRange> ranges, char32_t c) {
  const auto range = std::ranges::lower_bound(ranges, c, {}, &CharacterRange::last);
  return range != ranges.end() && range->first <= c;
}

}  // namespace weft

#endif  // WEFT_CORE_TEXT_CHARACTER_RANGE_H_
