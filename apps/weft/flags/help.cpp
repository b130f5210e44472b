#include <fmt/format.h>

#include <algorithm>

#include "apps/weft/flags/options_cli.h"
#include "weft/core/error.h"
#include "weft/options/option_value.h"

namespace weft::app {
namespace {

using options::Option;

constexpr size_t kWidth = 100;
constexpr size_t kIndent = 34;  // column of the descriptions

std::string value_name(const Option& option) {
  if (option.is_bool()) return "";
  std::string out = "TEXT";
  if (!option.meta.choices.empty()) {
    out = option.meta.choices;
  } else if (option.is<options::Period>()) {
    out = "PERIOD";
  } else if (!option.is_text()) {
    out = options::expectation(option).starts_with("a whole") ? "N" : "X";
  }
  if (option.is_list()) out += "...";
  return option.meta.implied.empty() ? out : fmt::format("[{}]", out);
}

bool is_on(const Option& option) { return option.is_bool() && option.defaults[0] == "true"; }

std::string note_of(const Option& option) {
  if (option.meta.flag_only) return "";
  if (is_on(option)) return fmt::format(" (in YAML: {}: false)", option.name);
  if (option.meta.required) return " (required)";
  const std::string range = options::expectation(option);
  const size_t bounds = std::min({range.find(" from "), range.find(" of at ")});
  const std::string limits =
      bounds == std::string::npos ? "" : ";" + std::string(range.substr(bounds));
  std::string value = fmt::format("{}", fmt::join(option.defaults, " "));
  for (size_t i = 0; (i = value.find('\n', i)) != value.npos;) value.replace(i, 1, "\\n");
  if (value.empty()) value = option.is_list() || option.is_text() ? "none" : "";
  return fmt::format(" ({}{})", value, limits);
}

// Appends text wrapped between indent and width; the first line continues the last one of `out`.
void append_wrapped(std::string& out, std::string_view text) {
  size_t column = kIndent;
  while (!text.empty()) {
    const size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    if (column > kIndent && column + word.size() + 1 > kWidth) {
      out += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  out += '\n';
}

}  // namespace

OptionText text_of(const Option& option) {
  const std::string also =
      option.meta.alias.empty() ? "" : fmt::format(" (also --{})", option.meta.alias);
  return {.name = (is_on(option) ? "no-" : "") + option.name,
          .value = value_name(option),
          .description = fmt::format("{}{}{}{}", is_on(option) ? "without " : "", option.help,
                                     note_of(option), also)};
}

std::string help_text(const CommandInfo& info, const options::OptionTable& table) {
  std::string out = fmt::format("{}\n\nusage: ", info.summary);
  out += info.usage.empty() ? fmt::format("weft {} [options]\n", info.name)
                            : fmt::format("{}\n", info.usage);
  std::string group = "\n";  // differs from every title
  for (const Option& option : table.options()) {
    if (option.group != group)
      out += fmt::format("\n{}:\n", option.group.empty() ? "Options" : option.group);
    group = option.group;
    const auto [name, value, description] = text_of(option);
    const std::string letter =
        option.meta.letter == 0 ? "    " : fmt::format("-{}, ", option.meta.letter);
    std::string line = fmt::format("  {}--{}{}{}", letter, name, value.empty() ? "" : " ", value);
    if (line.size() + 2 > kIndent) line += "\n";
    const size_t column = line.back() == '\n' ? 0 : line.size();
    out += line + std::string(kIndent - column, ' ');
    append_wrapped(out, description);
  }
  return out;
}

}  // namespace weft::app
