// Conversion of option values to and from text.
#ifndef WEFT_OPTIONS_OPTION_VALUE_H_
#define WEFT_OPTIONS_OPTION_VALUE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/options/option_table.h"

namespace weft::options {

// The text of an optional number without a value.
inline constexpr std::string_view kAuto = "auto";

// The current value as text, one string per list element. read_values() restores the same value bit
// for bit.
std::vector<std::string> values_of(const Option& option);
std::vector<std::string> values_of(const OptionSlot& slot);
// The same, joined by spaces.
std::string text_of(const OptionSlot& slot);

// Parses the texts into the option's slots. Integers may be written "1e3"; NaN and infinities are
// rejected. Throws OptionError, prefixed with `where`, and leaves the option unchanged.
void read_values(const Option& option, std::span<const std::string> values, std::string_view where);

// "a whole number from 1 to 64", "one of relu, gelu", "true or false", ...
std::string expectation(const Option& option);

// "a|b|c" -> {a, b, c}
std::vector<std::string> split_choices(std::string_view choices);

}  // namespace weft::options

#endif  // WEFT_OPTIONS_OPTION_VALUE_H_
