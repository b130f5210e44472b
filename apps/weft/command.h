// Subcommands: parsing of their options and output of their results. Each subcommand is a file
// apps/weft/<name>.cpp and an entry of the list in main.cpp:
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

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/error.h"
#include "weft/options/option_table.h"
#include "weft/options/preset.h"

namespace weft::app {

// The arguments after the command name.
using Args = std::vector<std::string>;

using options::Preset;  // for --task

// The help texts and presets of a command.
struct CommandInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view usage = {};  // replaces "weft <name> [options]"
  std::span<const Preset> presets = {};
};

// What parse_options() calls on its way.
struct ParseSteps {
  std::function<void()> check_given;       // before it refuses that options are missing
  std::function<void()> before_dump = {};  // before --dump-config; may set what was not given
};

// Sets the table's options from the preset of --task, then the files of --config in order, then the
// command line. Initialises logging, threads and checks of model files. Returns false after
// handling --help or --dump-config. Throws OptionError for an invalid command line or option,
// FormatError or FileError for an invalid file.
bool parse_options(const CommandInfo& info, options::OptionTable& table, const Args& args,
                   const ParseSteps& steps);

// While it exists, --help prints nothing, and the listener receives the command's options instead.
class HelpListener {
 public:
  using Receive = std::function<void(const CommandInfo& info, const options::OptionTable& table)>;

  explicit HelpListener(Receive receive);
  ~HelpListener();
  HelpListener(const HelpListener&) = delete;
  HelpListener& operator=(const HelpListener&) = delete;
};

// Rethrows an error about an option. If it was not set by its flag, the error names where it was
// set: a line of a file, or --task.
[[noreturn]] void rethrow_with_origin(const OptionError& error, const options::OptionTable& table);

// Parses an option struct and calls its validate(), if any, which checks for contradicting options.
// Its check_given(), if any, checks what was given even where options are missing.
// Returns nullopt after --help or --dump-config.
template <class Options>
std::optional<Options> parse_command(const CommandInfo& info, const Args& args) {
  Options options;
  options::OptionTable table;
  table.add(options);
  const auto check_given = [&options] {
    if constexpr (requires { options.check_given(); }) options.check_given();
  };
  if (!parse_options(info, table, args, {.check_given = check_given})) return std::nullopt;
  if constexpr (requires { options.validate(); }) {
    try {
      options.validate();
    } catch (const OptionError& error) {
      rethrow_with_origin(error, table);
    }
  }
  return options;
}

// Writes results to standard output. Throws FileError on failure (full disk, closed pipe).
// Buffered; main() flushes at exit. Call flush_output() before blocking.
void print(std::string_view text);
void flush_output();

// The subcommands. They return the exit status and throw weft::Error.
int run_train(const CommandInfo& info, const Args& args);
int run_translate(const CommandInfo& info, const Args& args);
int run_classify(const CommandInfo& info, const Args& args);
int run_tag(const CommandInfo& info, const Args& args);
int run_fill(const CommandInfo& info, const Args& args);
int run_embed(const CommandInfo& info, const Args& args);
int run_mine(const CommandInfo& info, const Args& args);
int run_detect(const CommandInfo& info, const Args& args);
int run_complete(const CommandInfo& info, const Args& args);
int run_motion(const CommandInfo& info, const Args& args);
int run_transcribe(const CommandInfo& info, const Args& args);
int run_generate(const CommandInfo& info, const Args& args);
int run_score(const CommandInfo& info, const Args& args);
int run_evaluate(const CommandInfo& info, const Args& args);
int run_compare(const CommandInfo& info, const Args& args);
int run_bench(const CommandInfo& info, const Args& args);
int run_convert(const CommandInfo& info, const Args& args);
int run_inspect(const CommandInfo& info, const Args& args);
int run_plot(const CommandInfo& info, const Args& args);
int run_quantize(const CommandInfo& info, const Args& args);
int run_average(const CommandInfo& info, const Args& args);
int run_completion(const CommandInfo& info, const Args& args);
int run_manual(const CommandInfo& info, const Args& args);

}  // namespace weft::app

#endif  // APPS_WEFT_COMMAND_H_
