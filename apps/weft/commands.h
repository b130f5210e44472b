// All subcommands.
#ifndef APPS_WEFT_COMMANDS_H_
#define APPS_WEFT_COMMANDS_H_

#include <string>
#include <vector>

#include "apps/weft/command.h"

namespace weft::app {

struct Command {
  CommandInfo info;
  int (*run)(const CommandInfo& info, const Args& args);
  // The words that may follow its name, each with options of its own; null: none.
  std::vector<std::string> (*tasks)() = nullptr;
};

const std::vector<Command>& commands();

}  // namespace weft::app

#endif  // APPS_WEFT_COMMANDS_H_
