// Texts of several lines as one line.
#ifndef WEFT_CORE_TEXT_ESCAPES_H_
#define WEFT_CORE_TEXT_ESCAPES_H_

#include <string>
#include <string_view>

namespace weft {

// The text as a line: line breaks become \n and \r, a backslash becomes \\.
std::string escaped(std::string_view text);
// The text that a line spells so, with tabs as \t; another backslash stands for itself.
std::string unescaped(std::string_view line);

}  // namespace weft

#endif  // WEFT_CORE_TEXT_ESCAPES_H_
