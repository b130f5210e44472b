// Options in YAML: one flat map whose keys are the long names of the flags.
#ifndef WEFT_FORMATS_OPTIONS_YAML_H_
#define WEFT_FORMATS_OPTIONS_YAML_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/options_table.h"

namespace weft::formats {

// The settings of a YAML text, in its order, each with "<source>:<line>: <key>" as where it
// stands. Throws FormatError for what is no map in YAML, and OptionError for a mistake that the
// command line could hold as well: a key given twice, without a value or with a nested one.
std::vector<Setting> parse_yaml(std::string_view text, std::string_view source);

// The same of a file; throws FileError when it cannot be read, FormatError when it is over 1 MiB.
std::vector<Setting> parse_yaml_file(const std::string& path);

// Sets the options that one YAML text names. Throws OptionError: an unknown option, a bad value,
// one that only the command line takes, an option given twice under its name and its alias.
void read_yaml(OptionTable& table, const std::vector<Setting>& settings);

enum class Dump { kFull, kMinimal };

// YAML that sets every option (full, titled by group) or those that differ from their defaults
// (minimal), except those that only the command line takes. Read back, it gives the same values.
// Throws OptionError for text that is not UTF-8, which YAML cannot hold.
std::string to_yaml(const OptionTable& table, Dump what);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_OPTIONS_YAML_H_
