#include "weft/tasks/presets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "weft/core/error.h"
#include "weft/data/text/text_file.h"
#include "weft/data/text/tokeniser.h"
#include "weft/model_file/model_file.h"
#include "weft/options/json.h"
#include "weft/options/option_value.h"
#include "weft/options/yaml.h"
#include "weft/train/checkpoint.h"

namespace weft::tasks {
namespace {

using options::Option;
using options::OptionTable;
using options::Setting;

std::string flag_text(const Option& option) {
  return fmt::format("--{} {}", option.name, fmt::join(options::values_of(option), " "));
}

bool is_given(const OptionTable& table, std::string_view name) {
  const Option* option = table.find(name);
  return option != nullptr && !option->origin.empty();
}

// Whether the user gave the option or one that is an alternative to it, in either direction.
bool is_given_or_replaced(const OptionTable& table, const Option& option) {
  if (!option.origin.empty()) return true;
  if (!option.meta.replaces.empty() && is_given(table, option.meta.replaces)) return true;
  return std::ranges::any_of(table.options(), [&](const Option& other) {
    return other.meta.replaces == option.name && !other.origin.empty();
  });
}

// The size of a vocabulary of SentencePiece that is made, or that an interrupted start made; 0 for
// another one, which has the size that it has.
std::string vocabulary_size(const std::string& path, const std::string& size) {
  if (!data::is_sentencepiece_file(path)) return "0";
  std::error_code none;
  const bool is_larger = std::filesystem::exists(path, none) &&
                         data::load_tokeniser_file(path)->size() > std::stoll(size);
  return is_larger ? "0" : size;
}

// --dim-vocabs of a preset is one number, for vocabularies of SentencePiece. None if all are
// others.
std::vector<std::string> vocabulary_sizes(const OptionTable& table, const std::string& size) {
  std::vector<std::string> out;
  for (const std::string& path : options::values_of(*table.find("vocabs"))) {
    out.push_back(vocabulary_size(path, size));
  }
  if (std::ranges::all_of(out, [](const auto& one) { return one == "0"; })) out.clear();
  return out;
}

const DataPreset* find_preset(std::span<const DataPreset> presets, std::string_view name) {
  const auto found = std::ranges::find(presets, name, &DataPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

std::vector<Setting> settings_of(const DataPreset& preset) {
  std::vector<Setting> out = options::parse_yaml(preset.yaml, preset.name);
  for (Setting& setting : out) {
    setting.where = fmt::format("--preset {}: {}", preset.name, setting.name);
  }
  return out;
}

// The options that any of the presets names, in the order of their first mention.
std::vector<std::string> names_of(std::span<const DataPreset> presets) {
  std::vector<std::string> out;
  for (const DataPreset& preset : presets) {
    for (const Setting& setting : settings_of(preset)) {
      if (std::ranges::find(out, setting.name) == out.end()) out.push_back(setting.name);
    }
  }
  return out;
}

// The settings that earlier options make of these names.
std::vector<Setting> earlier_settings(const PresetSource& source, const PresetTarget& target) {
  std::vector<Setting> out;
  if (source.earlier.empty()) return out;
  const std::string_view origin = source.resumes ? "the training state" : "--pretrained-model";
  const std::set<std::string> known = options::names_in_json(source.earlier);
  OptionTable values = target.defaults.table();
  options::read_known_json(values, source.earlier, origin);
  for (const std::string& name : names_of(target.presets)) {
    // Of a model file, --type has another name (model_file::InFile).
    const bool is_type = name == "type" && !source.resumes;
    if (!source.resumes && !known.contains(is_type ? "architecture" : name)) continue;
    const Option& option = *values.find(name);
    out.push_back({.name = name,
                   .values = options::values_of(option),
                   .where = fmt::format("{}: {}", origin, name),
                   .is_list = option.is_list()});
    if (is_type) out.back().values = {*options::text_in_json(source.earlier, "architecture")};
  }
  return out;
}

bool is_valid(const PresetTarget& target) {
  try {
    target.validate();
  } catch (const OptionError&) {
    return false;
  }
  return true;
}

// Options that were given and are read.
int64_t given_in_effect(const OptionTable& table) {
  return std::ranges::count_if(table.options(), [](const Option& option) {
    return !option.origin.empty() && option.is_in_effect();
  });
}

// Assigns the value unless the options given contradict it, or one of them would not be read any
// more: --transformer-heads is for a Transformer, whatever --type a preset has.
bool try_assign(const PresetTarget& target, const Setting& setting) {
  const std::vector<std::string> before = options::values_of(*target.table.find(setting.name));
  if (before == setting.values) return false;
  const bool was_valid = is_valid(target);  // not where --dump-config prints half of a command
  const int64_t given = given_in_effect(target.table);
  target.table.assign(setting);
  if (given_in_effect(target.table) > given && (!was_valid || is_valid(target))) return true;
  target.table.withdraw(setting.name, before);
  return false;
}

// "2,000"
std::string with_commas(int64_t number) {
  std::string out = std::to_string(number);
  for (size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

}  // namespace

std::string preset_help(std::span<const DataPreset> presets, bool tunes) {
  std::string out = "values of options that are not given. auto: ";
  if (presets.size() > 1) out += "by the number of training examples, ";
  for (size_t i = 0; i + 1 < presets.size(); ++i) {
    out += fmt::format("{} below {}, ", presets[i].name, with_commas(presets[i + 1].examples));
  }
  out += fmt::format("{}{}", presets.size() > 1 ? "else " : "", presets.back().name);
  if (tunes) out += ", and with --from values for tuning";
  return out + "; the log says which and what it sets. none: the defaults that this help shows";
}

std::string preset_choices(std::span<const DataPreset> presets) {
  std::string out = fmt::format("{}|{}", kAutoPreset, kNoPreset);
  for (const DataPreset& preset : presets) out += fmt::format("|{}", preset.name);
  return out;
}

const DataPreset& preset_for(std::span<const DataPreset> presets, int64_t examples) {
  const DataPreset* out = &presets.front();
  for (const DataPreset& preset : presets) {
    if (preset.examples <= examples) out = &preset;
  }
  return *out;
}

bool has_pipe(std::span<const std::string> files) {
  return std::ranges::any_of(files, [](const std::string& path) {
    std::error_code none;
    const std::filesystem::file_type type = std::filesystem::status(path, none).type();
    return type == std::filesystem::file_type::fifo ||
           type == std::filesystem::file_type::character ||
           type == std::filesystem::file_type::socket;
  });
}

int64_t count_lines(std::span<const std::string> files, int64_t enough) {
  int64_t lines = 0;
  for (const std::string& path : files) {
    data::TextFile file(path);
    while (lines < enough && file.next()) ++lines;
  }
  return lines;
}

PresetSource earlier_options(const TaskOptions& options) {
  PresetSource out;
  std::error_code none;
  const std::string state = train::checkpoint_path(options.loop.model);
  if (!options.loop.overwrite && std::filesystem::exists(state, none) &&
      train::has_updates(state)) {
    out.earlier = train::read_training_record(state).options;
    out.resumes = true;
  } else if (!options.pretrained.model.empty()) {
    out.earlier = model_file::ModelFile(options.pretrained.model).options();
  }
  return out;
}

std::vector<std::string> apply_preset(const PresetSource& source, const PresetTarget& target) {
  std::vector<Setting> settings = earlier_settings(source, target);
  const DataPreset* const preset = find_preset(target.presets, source.preset);
  if (preset != nullptr) {
    for (const Setting& setting : settings_of(*preset)) {
      if (std::ranges::find(settings, setting.name, &Setting::name) == settings.end()) {
        settings.push_back(setting);
        if (setting.name != "dim-vocabs") continue;
        settings.back().values = vocabulary_sizes(target.table, setting.values.front());
      }
    }
  }
  std::vector<std::string> out;
  std::vector<bool> given;
  given.reserve(settings.size());
  for (const Setting& setting : settings) {
    given.push_back(is_given_or_replaced(target.table, *target.table.find(setting.name)));
  }
  for (size_t i = 0; i < settings.size(); ++i) {
    const Option& option = *target.table.find(settings[i].name);
    if (given[i] || !option.is_in_effect()) continue;
    if (try_assign(target, settings[i])) out.push_back(flag_text(option));
  }
  return out;
}

std::string preset_report(const PresetSource& source, std::span<const DataPreset> presets,
                          std::string_view examples, std::span<const std::string> set) {
  if (source.is_piped) {
    std::vector<std::string_view> names;
    for (const DataPreset& preset : presets) names.push_back(preset.name);
    return fmt::format(
        "preset none: the {} of a pipe cannot be counted before they are read; hint: --preset {}",
        examples, fmt::join(names, "|"));
  }
  const DataPreset* const preset = find_preset(presets, source.preset);
  if (preset == nullptr || source.resumes || set.empty()) return "";
  const DataPreset* const next = preset == &presets.back() ? nullptr : preset + 1;
  std::string range = next == nullptr ? fmt::format("from {} on", preset->examples)
                                      : fmt::format("up to {}", next->examples - 1);
  const std::string why =
      source.examples < 0
          ? std::string(presets.size() == 1 ? "the only one" : "as given")
          : fmt::format("{} {}{} for training ({})", source.examples,
                        source.examples == presets.back().examples ? "or more " : "", examples,
                        range);
  std::vector<std::string_view> others = {kNoPreset};
  for (const DataPreset& other : presets) {
    if (&other != preset) others.push_back(other.name);
  }
  return fmt::format(
      "preset {}, {}: {}; hint: give any of these options another value, or --preset {}",
      preset->name, why, fmt::join(set, " "), fmt::join(others, "|"));
}

}  // namespace weft::tasks
