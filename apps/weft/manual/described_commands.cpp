#include "apps/weft/manual/described_commands.h"

#include "apps/weft/commands.h"
#include "weft/options/option_value.h"

namespace weft::app {
namespace {

DescribedOption described(const options::Option& option) {
  const options::Meta& meta = option.meta;
  return {.text = text_of(option),
          .group = option.group,
          .letter = meta.letter,
          .choices = meta.choices.empty() ? std::vector<std::string>()
                                          : options::split_choices(meta.choices),
          .is_path = meta.reads || meta.writes || option.name == "model"};
}

DescribedCommand described(const Command& command, const std::string& task) {
  DescribedCommand out{.name = std::string(command.info.name) + (task.empty() ? "" : " " + task),
                       .summary = std::string(command.info.summary),
                       .usage = {},
                       .options = {}};
  const HelpListener listener([&](const CommandInfo& info, const options::OptionTable& table) {
    out.usage = info.usage;
    for (const options::Option& option : table.options()) out.options.push_back(described(option));
  });
  Args args = {"--help"};
  if (!task.empty()) args.insert(args.begin(), task);
  command.run(command.info, args);
  if (out.usage.empty() || !task.empty()) out.usage = "weft " + out.name + " [options]";
  return out;
}

}  // namespace

std::vector<DescribedCommand> described_commands() {
  std::vector<DescribedCommand> out;
  for (const Command& command : commands()) {
    if (command.tasks == nullptr) {
      out.push_back(described(command, ""));
      continue;
    }
    for (const std::string& task : command.tasks()) out.push_back(described(command, task));
  }
  return out;
}

}  // namespace weft::app
