// The known name that a misspelt one was probably meant to be.
#ifndef WEFT_CORE_NEAREST_H_
#define WEFT_CORE_NEAREST_H_

#include <span>
#include <string>
#include <string_view>

namespace weft {

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b` (optimal
// string alignment: no part is edited twice).
int edit_distance(std::string_view a, std::string_view b);

// The known name closest to `name`, the first of several; empty when even that one is too far
// away (more than a third of the letters, and more than one) to be worth suggesting.
std::string nearest(std::string_view name, std::span<const std::string> known);

// "; hint: did you mean <prefix><nearest>?", or nothing.
std::string nearest_hint(std::string_view name, std::span<const std::string> known,
                         std::string_view prefix = "");

}  // namespace weft

#endif  // WEFT_CORE_NEAREST_H_
