// Sets options as on the command line.
#ifndef WEFT_TESTS_SUPPORT_OPTIONS_H_
#define WEFT_TESTS_SUPPORT_OPTIONS_H_

#include <sstream>
#include <string>

#include "weft/options/option_table.h"

namespace weft::test {

// set(options, "--attention local --attention-window 3 --tied-layers 1 1"). Throws OptionError.
template <class Options>
void set(Options& options, const std::string& flags) {
  options::OptionTable table;
  table.add(options);
  std::istringstream words(flags);
  options::Setting setting;
  const auto assign = [&] {
    if (setting.name.empty()) return;
    if (setting.values.empty()) setting.values = {"true"};
    setting.is_list = setting.values.size() > 1;
    table.assign(setting);
  };
  for (std::string word; words >> word;) {
    if (!word.starts_with("--")) {
      setting.values.push_back(word);
      continue;
    }
    assign();
    setting = {.name = word.substr(2), .values = {}, .where = word};
  }
  assign();
}

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_OPTIONS_H_
