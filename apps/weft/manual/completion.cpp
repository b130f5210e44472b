// weft completion: scripts by which shells complete commands, options and their values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/weft/command.h"
#include "apps/weft/manual/described_commands.h"

namespace weft::app {
namespace {

struct CompletionOptions {
  std::string shell;

  template <class V>
  void fields(V& v) {
    v("shell", shell,
      {.help = "the shell that reads the script",
       .choices = "bash|zsh|fish",
       .required = true,
       .positional = true});
  }
};

// The first words of commands, "train", and for each the second ones, "tagging", if it has them.
using Words = std::vector<std::pair<std::string, std::vector<std::string>>>;

Words words_of(const std::vector<DescribedCommand>& commands) {
  Words out;
  for (const DescribedCommand& command : commands) {
    const size_t space = command.name.find(' ');
    const std::string first = command.name.substr(0, space);
    if (out.empty() || out.back().first != first) out.push_back({first, {}});
    if (space != std::string::npos) out.back().second.push_back(command.name.substr(space + 1));
  }
  return out;
}

std::string first_words(const Words& words) {
  std::string out;
  for (const auto& [first, seconds] : words) out += first + " ";
  return out + "--help --version";
}

// Without what single quotes and the specifications of zsh give a meaning.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, text.find(';'))) {
    if (std::string_view("'\"`$\\[]:").find(c) == std::string_view::npos) out += c;
  }
  return out;
}

std::string bash(const std::vector<DescribedCommand>& commands) {
  const Words words = words_of(commands);
  std::string options, values, tasks;
  for (const auto& [first, seconds] : words) {
    if (seconds.empty()) continue;
    tasks += fmt::format("    {}) tasks='{}' ;;\n", first, fmt::join(seconds, " "));
  }
  for (const DescribedCommand& command : commands) {
    std::vector<std::string> names;
    for (const DescribedOption& option : command.options) {
      names.push_back("--" + option.text.name);
      if (option.choices.empty()) continue;
      values += fmt::format("    '{} --{}') words='{}' ;;\n", command.name, option.text.name,
                            fmt::join(option.choices, " "));
    }
    options += fmt::format("    '{}') words='{}' ;;\n", command.name, fmt::join(names, " "));
  }
  return fmt::format(R"(# Completion of weft for bash.
_weft() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=${{COMP_WORDS[1]}} words='' tasks=''
  COMPREPLY=()
  case "$command" in
{1}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{0}'
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$tasks" ]; then
    words=$tasks
  else
    [ -n "$tasks" ] && command="$command ${{COMP_WORDS[2]}}"
    case "$command $previous" in
{2}    esac
    if [ -z "$words" ] && [[ $current == -* ]]; then
      case "$command" in
{3}      esac
    fi
  fi
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _weft weft
)",
                     first_words(words), tasks, values, options);
}

std::string zsh(const std::vector<DescribedCommand>& commands) {
  const Words words = words_of(commands);
  std::string cases, tasks;
  for (const auto& [first, seconds] : words) {
    if (seconds.empty()) continue;
    tasks += fmt::format("    {}) tasks=({}) ;;\n", first, fmt::join(seconds, " "));
  }
  for (const DescribedCommand& command : commands) {
    cases += fmt::format("    '{}')\n      _arguments -S \\\n", command.name);
    for (const DescribedOption& option : command.options) {
      std::string value;
      if (!option.choices.empty()) {
        value = fmt::format(":value:({})", fmt::join(option.choices, " "));
      } else if (!option.text.value.empty()) {
        value = ":value:_files";
      }
      cases += fmt::format("        '*--{}[{}]{}' \\\n", option.text.name,
                           plain(option.text.description), value);
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef weft
# Completion of weft for zsh.
_weft() {{
  local command=$words[2]
  local -a tasks=()
  if (( CURRENT == 2 )); then
    compadd -- {0}
    return
  fi
  case $command in
{1}  esac
  if (( $#tasks )); then
    if (( CURRENT == 3 )); then
      compadd -- $tasks
      return
    fi
    command="$command $words[3]"
  fi
  case $command in
{2}  esac
}}
_weft "$@"
)",
                     first_words(words), tasks, cases);
}

std::string fish(const std::vector<DescribedCommand>& commands) {
  std::string out = "# Completion of weft for fish.\n";
  const auto add = [&](std::string_view condition, std::string_view rest) {
    out += fmt::format("complete -c weft -n '{}' {}\n", condition, rest);
  };
  for (const auto& [first, seconds] : words_of(commands)) {
    const std::string& word = first;  // Clang 14 cannot capture `first`
    const auto command = std::ranges::find_if(
        commands, [&](const DescribedCommand& c) { return c.name.starts_with(word); });
    add("__fish_use_subcommand", fmt::format("-f -a {} -d '{}'", first, plain(command->summary)));
    for (const std::string& second : seconds) {
      add(fmt::format("__fish_seen_subcommand_from {}; and test (count (commandline -opc)) -eq 2",
                      first),
          fmt::format("-f -a {}", second));
    }
  }
  for (const DescribedCommand& command : commands) {
    const size_t space = command.name.find(' ');
    std::string condition = "__fish_seen_subcommand_from " + command.name.substr(0, space);
    if (space != std::string::npos) {
      condition += "; and __fish_seen_subcommand_from " + command.name.substr(space + 1);
    }
    for (const DescribedOption& option : command.options) {
      std::string rest = "-l " + option.text.name;
      if (option.letter != 0) rest += fmt::format(" -s {}", option.letter);
      if (!option.choices.empty()) {
        rest += fmt::format(" -xa '{}'", fmt::join(option.choices, " "));
      } else if (!option.text.value.empty()) {
        rest += option.is_path ? " -rF" : " -x";
      }
      add(condition, fmt::format("{} -d '{}'", rest, plain(option.text.description)));
    }
  }
  return out;
}

}  // namespace

int run_completion(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<CompletionOptions>(info, args);
  if (!options) return 0;
  const std::vector<DescribedCommand> commands = described_commands();
  print(options->shell == "bash"  ? bash(commands)
        : options->shell == "zsh" ? zsh(commands)
                                  : fish(commands));
  return 0;
}

}  // namespace weft::app
