// Options in YAML: one flat map whose keys are the long flag names.
#ifndef WEFT_OPTIONS_YAML_H_
#define WEFT_OPTIONS_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/options/option_table.h"

namespace weft::options {

// The settings of a YAML text in order, each with where = "<source>:<line>: <key>". Throws
// FormatError unless the text is a YAML map, and OptionError for a duplicate key and a missing or
// nested value.
std::vector<Setting> parse_yaml(std::string_view text, std::string_view source);

// Parses a file. Also throws FileError if it cannot be read and FormatError if it is larger than 1
// MiB.
std::vector<Setting> parse_yaml_file(const std::string& path);

// Assigns the settings of one YAML text. Throws OptionError for an unknown option, an invalid
// value, a command-line-only option, and an option given both by name and by alias.
void read_yaml(OptionTable& table, const std::vector<Setting>& settings);

enum class Dump { kFull, kMinimal };

// Writes all options with group headings (kFull) or those that differ from their defaults
// (kMinimal), without command-line-only options. read_yaml() restores the same values. Throws
// OptionError for text that is not UTF-8, which YAML cannot represent.
std::string to_yaml(const OptionTable& table, Dump mode);

}  // namespace weft::options

#endif  // WEFT_OPTIONS_YAML_H_
