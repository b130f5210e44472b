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

// The first word of commands, "train", and the second ones, "tagging", if there are any.
struct FirstWord {
  std::string name;
  std::string summary;
  std::vector<std::string> tasks = {};
};

std::vector<FirstWord> first_words(const std::vector<DescribedCommand>& commands) {
  std::vector<FirstWord> out;
  for (const DescribedCommand& command : commands) {
    const size_t space = command.name.find(' ');
    const std::string name = command.name.substr(0, space);
    if (out.empty() || out.back().name != name) out.push_back({name, command.summary});
    if (space != std::string::npos) out.back().tasks.push_back(command.name.substr(space + 1));
  }
  return out;
}

// What may stand behind `weft`.
std::string names_of(const std::vector<FirstWord>& words) {
  std::string out;
  for (const FirstWord& word : words) out += word.name + " ";
  return out + "--help --version";
}

// A case of bash or zsh for each command with tasks: `line` formats its name and its tasks.
std::string task_cases(const std::vector<FirstWord>& words,
                       fmt::format_string<const std::string&, std::string> line) {
  std::string out;
  for (const FirstWord& word : words) {
    if (word.tasks.empty()) continue;
    out += fmt::format(line, word.name, fmt::format("{}", fmt::join(word.tasks, " ")));
  }
  return out;
}

// The text up to a semicolon, without characters that are special in single quotes or in zsh.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, text.find(';'))) {
    if (std::string_view("'\"`$\\[]:").find(c) == std::string_view::npos) out += c;
  }
  return out;
}

std::string bash(const std::vector<DescribedCommand>& commands) {
  const std::vector<FirstWord> words = first_words(commands);
  std::string options, values;
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
                     names_of(words), task_cases(words, "    {}) tasks='{}' ;;\n"), values,
                     options);
}

std::string zsh(const std::vector<DescribedCommand>& commands) {
  const std::vector<FirstWord> words = first_words(commands);
  std::string cases;
  for (const DescribedCommand& command : commands) {
    cases += fmt::format("    '{}')\n      _arguments -S \\\n", command.name);
    for (const DescribedOption& option : command.options) {
      std::string value;
      if (!option.choices.empty()) {
        value = fmt::format(":value:({})", fmt::join(option.choices, " "));
      } else if (!option.text.value.empty()) {
        value = option.is_path ? ":value:_files" : ":value:";
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
                     names_of(words), task_cases(words, "    {}) tasks=({}) ;;\n"), cases);
}

std::string fish(const std::vector<DescribedCommand>& commands) {
  std::string out = "# Completion of weft for fish.\n";
  const auto add = [&](std::string_view condition, std::string_view rest) {
    out += fmt::format("complete -c weft -n '{}' {}\n", condition, rest);
  };
  for (const auto& [name, summary, tasks] : first_words(commands)) {
    add("__fish_use_subcommand", fmt::format("-f -a {} -d '{}'", name, plain(summary)));
    for (const std::string& task : tasks) {
      add(fmt::format("__fish_seen_subcommand_from {}; and test (count (commandline -opc)) -eq 2",
                      name),
          fmt::format("-f -a {}", task));
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
