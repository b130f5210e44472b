// Presets: values of options that were not given, by the amount of training data.
//
// A task's options declare what is needed to choose one:
//   kExamples                        what an example is called: "pairs"
//   presets()                        the presets, for ever more examples, the first from 0 on
//   count_examples(int64_t enough)   those of --train-sets; stops counting at `enough`
#ifndef WEFT_TASKS_PRESETS_H_
#define WEFT_TASKS_PRESETS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "weft/options/any_options.h"
#include "weft/options/option_table.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

// For training data of at least `examples` examples.
struct DataPreset {
  std::string_view name;
  int64_t examples = 0;
  std::string_view yaml;
};

// The choices of --preset besides the names of presets: by the amount of data, or the defaults that
// the options declare.
inline constexpr std::string_view kAutoPreset = "auto", kNoPreset = "none";

// What options that were not given follow. Plain text, so that one rank can tell the others.
struct PresetSource {
  std::string preset = std::string(kNoPreset);
  int64_t examples = -1;  // counted, up to where the last preset begins; -1: not counted
  // The options, JSON, of the training that is resumed or of --pretrained-model, which come before
  // those of a preset that is chosen by the amount of data.
  std::string earlier = {};
  bool resumes = false;
  bool is_piped = false;  // a pipe is read once, so that its examples are not counted

  template <class V>
  void fields(V& v) {
    v("preset", preset);
    v("examples", examples);
    v("earlier", earlier);
    v("resumes", resumes);
    v("piped", is_piped);
  }
};

// The help of --preset: from how many examples on auto chooses each. `tunes`: with --from it
// chooses presets for tuning.
std::string preset_help(std::span<const DataPreset> presets, bool tunes);
// The values of --preset, "auto|none|tiny|small".
std::string preset_choices(std::span<const DataPreset> presets);

// The preset for this many examples.
const DataPreset& preset_for(std::span<const DataPreset> presets, int64_t examples);

// Whether one of the files is a pipe or a device; standard input is neither, since what comes from
// it is kept.
bool has_pipe(std::span<const std::string> files);

// Lines of all files together, `enough` at most. Throws as data::TextFile does.
int64_t count_lines(std::span<const std::string> files, int64_t enough);

// The options, JSON by flag name, that come before a preset's: those of the training state beside
// --model if it is to be resumed, else those of --pretrained-model, else none. Throws FileError and
// FormatError for a file that is damaged.
PresetSource earlier_options(const TaskOptions& options);

// Chooses the preset called `name`, which may be kAutoPreset, for the training files. Throws what
// earlier_options() and counting throw.
template <class Options>
PresetSource choose_preset(const Options& options, std::string_view name,
                           std::span<const std::string> files) {
  if (name != kAutoPreset) return {.preset = std::string(name)};
  PresetSource out = earlier_options(options);
  if (out.resumes) return out;
  const std::span<const DataPreset> presets = options.presets();
  if (presets.size() == 1) {  // nothing to count
    out.preset = presets.front().name;
    return out;
  }
  out.is_piped = has_pipe(files);
  if (out.is_piped) {
    out.preset = kNoPreset;
    return out;
  }
  out.examples = options.count_examples(presets.back().examples);
  out.preset = preset_for(presets, out.examples).name;
  return out;
}

// What an option table and its struct need for a preset.
struct PresetTarget {
  options::OptionTable& table;     // with the origin of the options that were given
  options::AnyOptions defaults;    // of the same options
  std::function<void()> validate;  // throws OptionError for options that contradict each other
  std::span<const DataPreset> presets;
};

// Sets the options of the preset; an option that any of the presets names and that the earlier
// options have takes its value from those. Keeps options that were given or whose alternative was
// given (Meta::replaces), and leaves out values that do not apply to the given options or
// contradict them. Returns what was set: "--dim-emb 128".
std::vector<std::string> apply_preset(const PresetSource& source, const PresetTarget& target);

// For the log: which preset, why, what it set, and how to have another. Empty if it set nothing.
std::string preset_report(const PresetSource& source, std::span<const DataPreset> presets,
                          std::string_view examples, std::span<const std::string> set);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_PRESETS_H_
