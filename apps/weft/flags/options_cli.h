// Command-line parsing and help texts.
#ifndef APPS_WEFT_FLAGS_OPTIONS_CLI_H_
#define APPS_WEFT_FLAGS_OPTIONS_CLI_H_

#include <string>
#include <vector>

#include "apps/weft/command.h"
#include "weft/options/option_table.h"

namespace weft::app {

// Parses the arguments into one setting per given option: --name value, --name=value, -n value,
// --switch, --no-switch, --list a b c. Other arguments, and all after "--", are assigned to the
// positional options in order. Throws OptionError.
std::vector<options::Setting> parse_arguments(const options::OptionTable& table, const Args& args);

// An option in words.
struct OptionText {
  std::string name;         // without hyphens; "no-x" of a switch that is on
  std::string value;        // "N", "float32|int8", "TEXT..."; empty of a switch
  std::string description;  // with its default, range and other name
};
OptionText text_of(const options::Option& option);

// The output of `weft <command> --help`: the options with descriptions and defaults, by group.
std::string help_text(const CommandInfo& info, const options::OptionTable& table);

}  // namespace weft::app

#endif  // APPS_WEFT_FLAGS_OPTIONS_CLI_H_
