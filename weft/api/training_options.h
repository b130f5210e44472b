// The options of a training: those of its task, and what follows the data where they are not given.
#ifndef WEFT_API_TRAINING_OPTIONS_H_
#define WEFT_API_TRAINING_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/options/json.h"
#include "weft/options/option_value.h"
#include "weft/tasks/presets.h"
#include "weft/train/distributed/group.h"

namespace weft::api {

template <class Task>
struct TrainingOptions {
  typename Task::Options training;
  std::string preset = std::string(tasks::kAutoPreset);

  template <class V>
  void fields(V& v) {
    options::group(v, "Preset");
    static const std::string help = tasks::preset_help(
        typename Task::Options().presets(), requires { training.from; });
    static const std::string choices = tasks::preset_choices(typename Task::Options().presets());
    v("preset", preset, {.help = help, .choices = choices});
    training.fields(v);
  }
  void check_given() const {
    if constexpr (requires { training.check_given(); }) training.check_given();
  }
  void validate() const { training.validate(); }
};

bool is_given(const options::OptionTable& table, std::string_view name);

// Throws OptionError for a --model that another task trained.
void check_kind(const train::LoopOptions& loop, std::string_view kind);

// The preset of a training on the given data. What is wrong with the files is said where the
// training reads them.
template <class Task>
tasks::PresetSource preset_source(const TrainingOptions<Task>& options,
                                  const options::OptionTable& table) {
  try {
    std::vector<std::string> files = options::values_of(*table.find("train-sets"));
    if (const options::Option* more = table.find("unlabelled")) {
      for (std::string& file : options::values_of(*more)) files.push_back(std::move(file));
    }
    return tasks::choose_preset(options.training,
                                is_given(table, "task") ? tasks::kNoPreset : options.preset, files);
  } catch (const Error&) {
    return {};
  }
}

// Sets options that were not given, on all ranks alike. `Options` is TrainingOptions<Task> or a
// struct derived from it, which the table was made of. Returns what to log, or nothing.
template <class Task, class Options>
std::string follow_data(Options& options, options::OptionTable& table, train::Group& group) {
  if (!is_given(table, "train-sets") && !is_given(table, "unlabelled")) return "";
  const auto source = options::options_from_json<tasks::PresetSource>(
      train::from_first_rank(
          group, [&] { return options::options_to_json(preset_source<Task>(options, table)); }),
      "--preset");
  const auto presets = options.training.presets();
  const std::vector<std::string> set =
      tasks::apply_preset(source, {.table = table,
                                   .defaults = options::AnyOptions(Options()),
                                   .validate = [&] { options.validate(); },
                                   .presets = presets});
  return tasks::preset_report(source, presets, Task::Options::kExamples, set);
}

}  // namespace weft::api

#endif  // WEFT_API_TRAINING_OPTIONS_H_
