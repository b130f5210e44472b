#include "apps/weft/command.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "apps/weft/flags/marian_flags.h"
#include "apps/weft/flags/options_cli.h"
#include "apps/weft/flags/other_flags.h"
#include "apps/weft/logging.h"
#include "apps/weft/output/model_record.h"
#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/options/option_value.h"
#include "weft/options/yaml.h"
#include "weft/settings.h"
#include "weft/train.h"

namespace weft::app {
namespace {

using options::OptionTable;
using options::Setting;

// The options of every command.
struct GeneralOptions {
  bool help = false;
  std::vector<std::string> config;
  std::string dump_config;
  bool quiet = false;
  std::string log;
  int64_t threads = 0;
  bool check_models = false;

  template <class V>
  void fields(V& v) {
    options::group(v, "General");
    v("config", config,
      {.help = "YAML files of options, with the names of the flags; later files override earlier "
               "ones, flags override files",
       .letter = 'c',
       .flag_only = true,
       .reads = true});
    v("dump-config", dump_config,
      {.help = "print the options as YAML and exit: full, or minimal for those that differ from "
               "their defaults",
       .choices = "full|minimal",
       .implied = "full",
       .flag_only = true});
    v("quiet", quiet, {.help = "print only warnings and errors"});
    v("log", log, {.help = "also append messages to this file", .writes = true});
    v("threads", threads,
      {.help = "number of compute threads; 0: one per core",
       .min = 0,
       .max = 1024,
       .alias = "cpu-threads"});
    v("check-models", check_models,
      {.help = "verify the checksum of every model file before using it"});
    v("help", help, {.help = "print this help and exit", .letter = 'h', .flag_only = true});
  }
};

// Empty: --help prints.
HelpListener::Receive& help_receiver() {
  static HelpListener::Receive receive;
  return receive;
}

const Setting* find_setting(const std::vector<Setting>& settings, std::string_view name) {
  const auto it = std::find_if(settings.begin(), settings.end(),
                               [&](const Setting& setting) { return setting.name == name; });
  return it == settings.end() ? nullptr : &*it;
}

void apply_preset(OptionTable& table, const CommandInfo& info, const std::string& name) {
  for (const Preset& preset : info.presets) {
    if (preset.name != name) continue;
    std::vector<Setting> settings = options::parse_yaml(preset.yaml, name);
    for (Setting& s : settings) s.where = fmt::format("--task {}: {}", name, s.name);
    options::read_yaml(table, settings);
  }
}

// For a flag of another system that is not an option here.
std::string_view hint_of(std::string_view command, std::string_view name,
                         const OptionTable& table) {
  const HasOption has_option = [&](std::string_view option) {
    return table.find(option) != nullptr ||
           (option.starts_with("no-") && table.find(option.substr(3)) != nullptr);
  };
  const std::string_view hint = marian_hint(command, name);
  if (!hint.empty() && names_only_options(hint, has_option)) return hint;
  return other_hint(command, name, has_option);
}

// Throws OptionError as table.assign() does, with a hint for a value of another system.
void assign_argument(OptionTable& table, const Setting& setting) {
  try {
    table.assign(setting);
  } catch (const OptionError& error) {
    const std::string_view hint = other_value_hint(setting.name, setting.values.front());
    if (hint.empty()) throw;
    const std::string_view text = error.what();  // may name the nearest value
    throw OptionError(fmt::format("{}; hint: {}", text.substr(0, text.find("; hint: ")), hint));
  }
}

std::string preset_names(const CommandInfo& info) {
  std::string out;
  for (const Preset& preset : info.presets)
    out += fmt::format("{}{}", out.empty() ? "" : "|", preset.name);
  return out;
}

// Nothing but a training itself writes the model of a training that runs.
void check_outputs(const CommandInfo& info, const OptionTable& table) {
  for (const options::Option& option : table.options()) {
    const bool is_own_model = info.name.starts_with("train") && option.name == "model";
    if (!option.meta.writes || is_own_model) continue;
    for (const std::string& path : options::values_of(option)) check_not_training(path);
  }
}

// A text behind --model is taken for a further model.
void check_further_models(const OptionTable& table) {
  const options::Option* option = table.find("model");
  if (option == nullptr || !option->is_list() || table.find("input") == nullptr) return;
  const std::vector<std::string> models = options::values_of(*option);
  for (size_t i = 1; i < models.size(); ++i) {
    if (std::filesystem::exists(models[i])) continue;
    fail<FileError>(models[i],
                    "no such model file; hint: --model takes several, and what is read is on "
                    "standard input or in the file of --input");
  }
}

}  // namespace

HelpListener::HelpListener(Receive receive) { help_receiver() = std::move(receive); }
HelpListener::~HelpListener() { help_receiver() = {}; }

bool parse_options(const CommandInfo& info, OptionTable& table, const Args& args,
                   const ParseSteps& steps) {
  GeneralOptions general;
  std::string task;
  const std::string tasks = preset_names(info);
  table.group("General");
  if (!tasks.empty())
    table("task", task,
          {.help =
               "Marian's presets of options not given otherwise, instead of --preset: encoder and "
               "decoder layers, D, heads, feed-forward size, dropout; tiny: 4 + 4, 128, 4, 256, "
               "0.3; base: 6 + 6, 512, 8, 2048, 0.1; big: 6 + 6, 1024, 16, 4096, 0.3; -prenorm: "
               "with --transformer-norm pre",
           .choices = tasks});
  table.add(general);
  table.set_hints([&](std::string_view name) { return hint_of(info.name, name, table); });
  const std::vector<Setting> arguments = parse_arguments(table, args);
  if (find_setting(arguments, "help") != nullptr) {
    help_receiver() ? help_receiver()(info, table) : print(help_text(info, table));
    return false;
  }

  std::vector<std::vector<Setting>> files;
  if (const Setting* config = find_setting(arguments, "config"))
    for (const std::string& path : config->values) files.push_back(options::parse_yaml_file(path));
  for (const auto& file : files)
    if (const Setting* named = find_setting(file, "task"); named && !tasks.empty())
      table.assign(*named);
  if (const Setting* named = find_setting(arguments, "task")) table.assign(*named);
  apply_preset(table, info, task);
  for (const auto& file : files) options::read_yaml(table, file);
  for (const Setting& setting : arguments) assign_argument(table, setting);

  if (!general.dump_config.empty()) {
    if (steps.before_dump) steps.before_dump();
    print(options::to_yaml(
        table, general.dump_config == "full" ? options::Dump::kFull : options::Dump::kMinimal));
    return false;
  }
  steps.check_given();
  table.check_required();
  table.check_files();
  check_further_models(table);
  check_outputs(info, table);
  start_logging(general.quiet, general.log);
  if (!general.log.empty()) {
    record(fmt::format("started: weft {}, {} {}", version(), info.name, fmt::join(args, " ")));
    record_models(table);
  }
  if (general.threads > 0) set_threads(static_cast<int>(general.threads));
  check_model_files(general.check_models);
  return true;
}

void rethrow_with_origin(const OptionError& error, const OptionTable& table) {
  const std::string_view text = error.what();
  const size_t colon = text.find(':');
  const bool is_flag = text.starts_with("--") && colon != text.npos;
  const options::Option* option = is_flag ? table.find(text.substr(2, colon - 2)) : nullptr;
  if (option == nullptr || option->origin.empty() || option->origin == text.substr(0, colon)) {
    throw OptionError(error);
  }
  throw OptionError(option->origin + std::string(text.substr(colon)));
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    fail<FileError>("standard output", "cannot write: {}", std::strerror(errno));
}

void flush_output() {
  if (std::fflush(stdout) != 0)
    fail<FileError>("standard output", "cannot write: {}", std::strerror(errno));
}

}  // namespace weft::app
