#include "apps/weft/flags/options_cli.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "weft/core/error.h"
#include "weft/options/option_value.h"

namespace weft::app {
namespace {

using options::Option;
using options::OptionTable;
using options::Setting;

bool is_flag(std::string_view token) {
  return token.size() > 1 && token[0] == '-' && token[1] != '.' &&
         !std::isdigit(static_cast<unsigned char>(token[1]));
}

const Option* find_letter(const OptionTable& table, char letter) {
  for (const Option& option : table.options())
    if (option.meta.letter == letter) return &option;
  return nullptr;
}

[[noreturn]] void refuse_unknown(const OptionTable& table, std::string_view flag) {
  std::vector<std::string> known;
  for (const Option& option : table.options()) {
    known.push_back(option.name);
    if (option.is_bool()) known.push_back("no-" + option.name);
  }
  const std::string_view name = flag.substr(flag.find_first_not_of('-'));
  const bool is_letter = name.size() == 1;
  fail<OptionError>(flag.substr(0, 60), "unknown option{}",
                    is_letter ? "; hint: --help lists them" : table.hint_for(name, known, "--"));
}

// The option of "--name", "--no-name", "-n" or "-nvalue".
const Option& find_flag(const OptionTable& table, std::string_view flag) {
  const Option* option = nullptr;
  if (flag.starts_with("--")) {
    const std::string_view name = flag.substr(2);
    option = table.find(name);
    if (option == nullptr && name.starts_with("no-")) {
      option = table.find(name.substr(3));
      if (option != nullptr && !option->is_bool()) option = nullptr;
    }
  } else if (table.find(flag.substr(1)) == nullptr) {  // -model is --model, never -m odel
    option = find_letter(table, flag[1]);
  }
  if (option == nullptr) refuse_unknown(table, flag);
  return *option;
}

bool has_optional_value(const Option& option) {
  return option.is_bool() || !option.meta.implied.empty();
}

// Whether the argument after a flag with an optional value is its value: one of its choices, or a
// number for a numeric option.
bool is_value_of(const Option& option, const std::string& argument) {
  if (option.may_be_auto() && argument == options::kAuto) return true;
  if (!option.is_bool() && option.meta.choices.empty())
    return argument.find_first_of("0123456789") <= 2 && !is_flag(argument);
  const std::vector<std::string> words =
      options::split_choices(option.is_bool() ? "true|false|yes|no|on|off" : option.meta.choices);
  return std::find(words.begin(), words.end(), argument) != words.end();
}

// Rewrites arguments that CLI11 would misinterpret: `--flag value` of a switch, and missing or
// empty values. Throws OptionError with a hint for unknown options.
Args prepare(const OptionTable& table, const Args& args) {
  Args out;
  const bool has_positionals = std::ranges::any_of(
      table.options(), [](const Option& option) { return option.meta.positional; });
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& token = args[i];
    if (!is_flag(token)) {
      out.push_back(token);
      continue;
    }
    const size_t equals = token.starts_with("--") ? token.find('=') : std::string::npos;
    const std::string flag = token.substr(0, equals);
    const Option& option = find_flag(table, flag);
    const bool has_next = i + 1 < args.size();
    if (equals != std::string::npos) {
      const bool is_empty = equals + 1 == token.size();
      if (is_empty && has_optional_value(option))
        fail<OptionError>(flag, "no value after '='; expected {}", options::expectation(option));
      out.push_back(is_empty ? flag : token);
      if (is_empty) out.emplace_back();
    } else if (!token.starts_with("--") && token.size() > 2) {
      out.push_back(token);
    } else if (has_optional_value(option)) {
      const bool has_value = has_next && is_value_of(option, args[i + 1]);
      if (option.is_bool() && !has_value && has_next && !is_flag(args[i + 1]) && !has_positionals) {
        fail<OptionError>(flag, "a switch; expected no value, true or false, got {}",
                          quote(args[i + 1]));
      }
      const std::string value = has_value ? args[++i] : std::string(option.meta.implied);
      const std::string name = flag.starts_with("--") ? flag : "--" + option.name;
      out.push_back(value.empty() ? flag : fmt::format("{}={}", name, value));
    } else {
      if (!has_next || is_flag(args[i + 1]))
        fail<OptionError>(flag, "no value; expected {}", options::expectation(option));
      out.push_back(flag);
      out.push_back(args[++i]);
    }
  }
  return out;
}

std::string cli_names(const Option& option) {
  std::string out = "--" + option.name;
  if (!option.meta.alias.empty()) out += fmt::format(",--{}", option.meta.alias);
  if (option.meta.letter != 0) out += fmt::format(",-{}", option.meta.letter);
  if (option.is_bool()) out += fmt::format(",!--no-{}", option.name);
  return out;
}

CLI::Option* add_to(CLI::App& app, const Option& option) {
  if (option.is_bool()) return app.add_flag(cli_names(option));
  constexpr int kMaxValues = 1 << 20;  // CLI11 treats more as unlimited
  return app.add_option(cli_names(option))
      ->expected(1, option.is_list() ? kMaxValues : 1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Assigns the remaining arguments to the positional options in order; a list takes all of the rest.
void assign_positionals(const OptionTable& table, const std::vector<std::string>& rest,
                        std::vector<std::vector<std::string>>& values) {
  size_t used = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Option& option = table.options()[i];
    if (!option.meta.positional) continue;
    const size_t max_values = option.is_list() ? rest.size() : 1;
    for (size_t n = 0; n < max_values && used < rest.size(); ++n) values[i].push_back(rest[used++]);
  }
  if (used < rest.size())
    fail<OptionError>("arguments", "unexpected {}; expected options and their values",
                      quote(rest[used]));
}

}  // namespace

std::vector<Setting> parse_arguments(const OptionTable& table, const Args& args) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> parsed;
  for (const Option& option : table.options()) parsed.push_back(add_to(app, option));
  const auto mark = std::find(args.begin(), args.end(), "--");
  Args prepared = prepare(table, Args(args.begin(), mark));
  std::reverse(prepared.begin(), prepared.end());
  try {
    app.parse(std::move(prepared));
  } catch (const CLI::ParseError& error) {
    fail<OptionError>("arguments", "{}", error.what());
  }
  std::vector<std::vector<std::string>> values;
  values.reserve(parsed.size());
  for (const CLI::Option* option : parsed) values.push_back(option->results());
  std::vector<std::string> rest = app.remaining();
  for (const std::string& argument : rest)  // an unknown letter after others, as in -qz
    if (is_flag(argument)) refuse_unknown(table, argument);
  if (mark != args.end()) rest.insert(rest.end(), mark + 1, args.end());
  assign_positionals(table, rest, values);

  std::vector<Setting> out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    const Option& option = table.options()[i];
    Setting setting{option.name, std::move(values[i]), "--" + option.name, option.is_list()};
    if (!option.is_list() && setting.values.size() > 1)
      fail<OptionError>(setting.where, "given {} times; expected once", setting.values.size());
    out.push_back(std::move(setting));
  }
  return out;
}

}  // namespace weft::app
