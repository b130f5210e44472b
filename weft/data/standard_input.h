// Standard input as a text that is opened like a file.
#ifndef WEFT_DATA_STANDARD_INPUT_H_
#define WEFT_DATA_STANDARD_INPUT_H_

#include <string>
#include <string_view>

namespace weft::data {

// The path that stands for it, and its name in messages.
inline constexpr std::string_view kStandardInput = "-";
inline constexpr std::string_view kStandardInputName = "stdin";

// Returns a path from which standard input can be read any number of times, beginning at its
// position at the first call. Input from a pipe or a terminal is first copied to its end into a
// temporary file without a name. Throws FileError, and FormatError if a quarter of a gigabyte comes
// without a line break.
std::string standard_input_path();

// Whether a path is standard input, a pipe or a device, which can be read once.
bool is_stream(const std::string& path);

}  // namespace weft::data

#endif  // WEFT_DATA_STANDARD_INPUT_H_
