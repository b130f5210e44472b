// The command line as settings of an option table.
#ifndef APPS_WEFT_OPTIONS_CLI_H_
#define APPS_WEFT_OPTIONS_CLI_H_

#include <string>
#include <vector>

#include "apps/weft/command.h"
#include "weft/formats/options_table.h"

namespace weft::app {

// Splits the arguments into settings, one for each option given: --name value, --name=value,
// -n value, --switch, --no-switch, --list a b c, and what belongs to no option to those that are
// positional, in their order. Behind "--" nothing is an option. Throws OptionError.
std::vector<formats::Setting> parse_arguments(const formats::OptionTable& table, const Args& args);

// What `weft <command> --help` prints: each option with its meaning and default, by group.
std::string help_text(const CommandInfo& info, const formats::OptionTable& table);

}  // namespace weft::app

#endif  // APPS_WEFT_OPTIONS_CLI_H_
