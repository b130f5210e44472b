// String literals, whose escapes are Python's.
#ifndef WEFT_DATA_JINJA_STRING_LITERAL_H_
#define WEFT_DATA_JINJA_STRING_LITERAL_H_

#include <optional>
#include <string>
#include <string_view>

namespace weft::data::jinja {

// What a literal without its quotes stands for; nothing if it has an escape that Python refuses, or
// the name of a character.
std::optional<std::string> decoded_literal(std::string_view literal);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_STRING_LITERAL_H_
