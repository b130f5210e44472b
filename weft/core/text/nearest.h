// Suggestions for misspelt names.
#ifndef WEFT_CORE_TEXT_NEAREST_H_
#define WEFT_CORE_TEXT_NEAREST_H_

#include <span>
#include <string>
#include <string_view>

namespace weft {

// The optimal string alignment distance: insertions, deletions, substitutions and transpositions of
// adjacent characters; no substring is edited twice.
int edit_distance(std::string_view a, std::string_view b);

// The known name closest to `name`, the first on ties. Empty if the distance exceeds both 1 and a
// third of the length of `name`.
std::string nearest(std::string_view name, std::span<const std::string> known);

// "; hint: did you mean <prefix><nearest>?", or an empty string.
std::string nearest_hint(std::string_view name, std::span<const std::string> known,
                         std::string_view prefix = "");

}  // namespace weft

#endif  // WEFT_CORE_TEXT_NEAREST_H_
