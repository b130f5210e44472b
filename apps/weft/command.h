// What a subcommand is, and what it needs: its options out of its arguments, and its results out
// on standard output. Each one is a file apps/weft/<name>.cpp and a line in main.cpp's list:
//
//   struct CountOptions {
//     std::string model;
//     template <class V> void fields(V& v) {
//       v("model", model, {.help = "model file", .letter = 'm', .required = true});
//     }
//   };
//   int run_count(const CommandInfo& info, const Args& args) {
//     const auto options = parse_command<CountOptions>(info, args);
//     if (!options) return 0;
//     print(fmt::format("{}\n", count(*options)));
//     return 0;
//   }
#ifndef APPS_WEFT_COMMAND_H_
#define APPS_WEFT_COMMAND_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/error.h"
#include "weft/formats/options_table.h"

namespace weft::app {

// The arguments behind the command's name.
using Args = std::vector<std::string>;

// Several options under one name, for --task.
struct Preset {
  std::string_view name;
  std::string_view yaml;
};

// What --help says of a command, and the presets it knows.
struct CommandInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view usage = {};  // replaces "weft <name> [options]"
  std::span<const Preset> presets = {};
};

// Reads the table's options: defaults, then the preset of --task, then the files of --config in
// their order, then the command line. Sets up the log, the threads and the checks of model files.
// Returns false when --help or --dump-config was asked for and answered. Throws OptionError for a
// wrong command line or option, FormatError or FileError for a wrong file.
bool parse_options(const CommandInfo& info, formats::OptionTable& table, const Args& args);

// Throws an error about an option again, saying where that was set if not by its own flag: the line
// of a file, or --task.
[[noreturn]] void rethrow_with_origin(const OptionError& error, const formats::OptionTable& table);

// The same for an option struct; nothing is returned when there is nothing left to do. A struct
// with a validate() has it called: the place for options that contradict each other.
template <class Options>
std::optional<Options> parse_command(const CommandInfo& info, const Args& args) {
  Options options;
  formats::OptionTable table;
  table.add(options);
  if (!parse_options(info, table, args)) return std::nullopt;
  if constexpr (requires { options.validate(); }) {
    try {
      options.validate();
    } catch (const OptionError& error) {
      rethrow_with_origin(error, table);
    }
  }
  return options;
}

// Writes results to standard output; throws FileError when that fails (a full disk, a closed
// pipe). Buffered: main flushes at the end; flush before a wait.
void print(std::string_view text);
void flush_output();

// The subcommands, one file each: they return the exit status and throw weft::Error.
int run_train(const CommandInfo& info, const Args& args);
int run_translate(const CommandInfo& info, const Args& args);
int run_classify(const CommandInfo& info, const Args& args);
int run_tag(const CommandInfo& info, const Args& args);
int run_score(const CommandInfo& info, const Args& args);
int run_evaluate(const CommandInfo& info, const Args& args);
int run_bench(const CommandInfo& info, const Args& args);
int run_convert(const CommandInfo& info, const Args& args);
int run_quantize(const CommandInfo& info, const Args& args);

}  // namespace weft::app

#endif  // APPS_WEFT_COMMAND_H_
