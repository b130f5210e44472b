// The commands and their options in words, for manual pages and the completion of shells.
#ifndef APPS_WEFT_MANUAL_DESCRIBED_COMMANDS_H_
#define APPS_WEFT_MANUAL_DESCRIBED_COMMANDS_H_

#include <string>
#include <vector>

#include "apps/weft/flags/options_cli.h"

namespace weft::app {

struct DescribedOption {
  OptionText text;
  std::string group;
  char letter = 0;
  std::vector<std::string> choices;  // of its value
  bool is_path = false;              // its values are files
};

struct DescribedCommand {
  std::string name;  // "train tagging"
  std::string summary;
  std::string usage;
  std::vector<DescribedOption> options;
};

// Each command, or each of its tasks.
std::vector<DescribedCommand> described_commands();

}  // namespace weft::app

#endif  // APPS_WEFT_MANUAL_DESCRIBED_COMMANDS_H_
