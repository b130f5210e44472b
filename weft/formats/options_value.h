// The text of option values, in both directions.
#ifndef WEFT_FORMATS_OPTIONS_VALUE_H_
#define WEFT_FORMATS_OPTIONS_VALUE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/options_table.h"

namespace weft::formats {

// How an optional number without a value is written.
inline constexpr std::string_view kAuto = "auto";

// The present value, one text each for a list; read back, they give the same value bit for bit.
std::vector<std::string> values_of(const Option& option);
std::vector<std::string> values_of(const OptionSlot& slot);
// The same, joined by spaces.
std::string text_of(const OptionSlot& slot);

// Reads the texts into the option's slots, which stay as they were when one of them is wrong. Whole
// numbers may be written "1e3"; NaN and infinities are no numbers. Throws OptionError at `where`.
void read_values(const Option& option, std::span<const std::string> values, std::string_view where);

// "a whole number from 1 to 64", "one of relu, gelu", "true or false", ...
std::string expectation(const Option& option);

// "a|b|c" -> {a, b, c}
std::vector<std::string> split_choices(std::string_view choices);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_OPTIONS_VALUE_H_
