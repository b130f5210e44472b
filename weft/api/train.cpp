#include "weft/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>

#include "weft/api/read_options.h"
#include "weft/api/tasks.h"
#include "weft/api/training_options.h"
#include "weft/core/interruption.h"
#include "weft/core/log.h"
#include "weft/core/text/nearest.h"
#include "weft/options/option_value.h"
#include "weft/train/distributed/launch.h"
#include "weft/train/trainer.h"

namespace weft {
namespace {

TrainingProgress progress_of(const train::UpdateReport& report) {
  return {.epoch = report.progress.epochs,
          .update = report.progress.updates,
          .loss = report.loss,
          .learn_rate = report.learn_rate,
          .gradient_norm = report.gradient_norm,
          .targets_per_second = report.targets_per_second,
          .seconds_left = report.seconds_left,
          .skipped = report.skipped,
          .is_due = report.is_due};
}

TrainingEnd end_of(train::Ending ending) {
  switch (ending) {
    case train::Ending::kFinished: return TrainingEnd::kFinished;
    case train::Ending::kStoppedEarly: return TrainingEnd::kStoppedEarly;
    case train::Ending::kStopped: return TrainingEnd::kStopped;
    case train::Ending::kWasFinished: return TrainingEnd::kWasFinished;
    case train::Ending::kHadStoppedEarly: break;
  }
  return TrainingEnd::kHadStoppedEarly;
}

std::string ending_text(train::Ending ending, const train::State& state) {
  const std::string at = fmt::format("at update {}", state.progress.updates);
  switch (ending) {
    case train::Ending::kFinished: return "training finished " + at;
    case train::Ending::kStoppedEarly:
      return "training ended early " + at + ": no better validation";
    case train::Ending::kStopped:
      return "training stopped " + at + "; the same command goes on from here";
    case train::Ending::kHadStoppedEarly:
      return "training had ended early before, " + at + "; hint: a larger --early-stopping goes on";
    case train::Ending::kWasFinished: break;
  }
  return "training was finished before, " + at + "; hint: a longer --after goes on";
}

// The files that a training leaves, and the updates that they are from.
std::string saved_text(const train::TrainOptions& options, const train::State& state) {
  const std::string& model = options.loop.model;
  std::string weights = options.averages() ? "averaged weights" : "weights";
  const bool validates = !options.validation.valid_sets.empty();
  if (!validates || !state.has_best) {
    weights += fmt::format(" of update {}", state.progress.updates);
    if (validates) weights += ", which no validation has measured";
  } else {
    if (state.best_update > 0) weights += fmt::format(" of update {}", state.best_update);
    weights += fmt::format(", the best in validation so far ({:.4f})", state.best);
  }
  return fmt::format("{} has the {}; {} the state of update {}", model, weights,
                     train::checkpoint_path(model), state.progress.updates);
}

// The options of a training, and the table that says which were given.
template <class Task>
class GivenOptions {
 public:
  // Throws OptionError.
  explicit GivenOptions(const Options& given) {
    table_.add(options_);
    api::assign(given, table_);
    options_.check_given();
  }
  GivenOptions(const GivenOptions&) = delete;
  GivenOptions& operator=(const GivenOptions&) = delete;

  void check() const {
    table_.check_required();
    table_.check_files();
    options_.validate();
  }
  // Sets options that were not given, on all ranks alike. Returns what to log, or nothing.
  std::string follow_data(train::Group& group) {
    return api::follow_data<Task>(options_, table_, group);
  }
  const typename Task::Options& training() const { return options_.training; }
  const options::OptionTable& table() const { return table_; }

 private:
  api::TrainingOptions<Task> options_;
  options::OptionTable table_;
};

// Of several ranks one alone has what mpirun reads.
void check_standard_input(const options::OptionTable& table, const train::Group& group) {
  const options::Option* const option = table.reads_standard_input();
  if (option == nullptr || group.size() == 1) return;
  fail<OptionError>("--" + option->name, "one of {} ranks alone has standard input; expected files",
                    group.size());
}

// A trainer that has read its data, of options that are checked.
template <class Task>
std::unique_ptr<train::Trainer> make_trainer(const typename Task::Options& training,
                                             const Ranks& ranks) {
  auto task = std::make_unique<Task>(training);
  check_standard_input(task->all_options().table(), ranks.group());
  return std::make_unique<train::Trainer>(std::move(task), ranks.shared_group());
}

TrainingResult run(train::Trainer& trainer, const train::TrainOptions& training,
                   const TrainingHooks& hooks) {
  if (hooks.on_start) hooks.on_start();
  std::atomic<bool> own_stop = false;
  std::atomic<bool>& stop = hooks.stop != nullptr ? *hooks.stop : own_stop;
  if (hooks.on_validation) {
    trainer.on_validation([&](int64_t update, const std::vector<train::Metric>& metrics) {
      TrainingValidation found{.update = update};
      for (const train::Metric& metric : metrics) {
        found.metrics.emplace_back(metric.name, metric.value);
      }
      if (!hooks.on_validation(found)) stop.store(true);
    });
  }
  const train::Ending ending = trainer.run(stop, [&](const train::UpdateReport& update) {
    if (hooks.on_update && !hooks.on_update(progress_of(update))) stop.store(true);
  });
  const train::State& state = trainer.state();
  log::info("{}", ending_text(ending, state));
  log::info("{}", saved_text(training, state));
  TrainingResult out{.end = end_of(ending), .updates = state.progress.updates};
  if (state.has_best) {
    out.best = state.best;
    out.best_update = state.best_update;
  }
  return out;
}

template <class Task>
TrainingResult train_task(const Options& given, const TrainingHooks& hooks, const Ranks& ranks) {
  std::optional<InterruptionCheck> reading(hooks.while_reading);
  GivenOptions<Task> options(given);
  options.check();
  api::check_kind(options.training().loop, Task::kind_of(options.training()));
  const std::string report = options.follow_data(ranks.group());
  if (!report.empty()) log::info("{}", report);
  const auto trainer = make_trainer<Task>(options.training(), ranks);
  reading->rethrow();
  reading.reset();
  return run(*trainer, options.training(), hooks);
}

template <class Task>
const OptionSchema& schema_of_task() {
  static const OptionSchema schema = [] {
    api::TrainingOptions<Task> defaults;
    options::OptionTable table;
    table.add(defaults);
    return OptionSchema(api::infos_of(table),
                        [](const Options& given) { GivenOptions<Task>(given).check(); });
  }();
  return schema;
}

template <class Task>
Options followed_options(const Options& given) {
  GivenOptions<Task> options(given), before(given);
  options.follow_data(*train::single_process());
  Options out;
  for (size_t i = 0; i < options.table().options().size(); ++i) {
    const options::Option& option = options.table().options()[i];
    const std::vector<std::string> values = options::values_of(option);
    if (values == options::values_of(before.table().options()[i])) continue;
    out.push_back({option.name, option.is_list() ? OptionValue(values) : OptionValue(values[0])});
  }
  return out;
}

template <class Task>
std::vector<NamedOptions> presets_of() {
  std::vector<NamedOptions> out;
  if constexpr (requires { Task::kPresets; }) {
    for (const options::Preset& preset : Task::kPresets) out.push_back({preset.name, preset.yaml});
  }
  return out;
}

struct TrainedTask {
  std::string_view name;
  std::string_view targets;
  TrainingResult (*train)(const Options& options, const TrainingHooks& hooks, const Ranks& ranks);
  const OptionSchema& (*schema)();
  Options (*followed)(const Options& given);
  std::vector<NamedOptions> (*presets)();
};

template <class... Task>
std::vector<TrainedTask> all_tasks(api::TaskList<Task...>) {
  return {{Task::kName, Task::kTargets, train_task<Task>, schema_of_task<Task>,
           followed_options<Task>, presets_of<Task>}...};
}

TrainedTask task_named(std::string_view name) {
  for (const TrainedTask& task : all_tasks(api::Tasks())) {
    if (task.name == name) return task;
  }
  const std::vector<std::string> names = training_tasks();
  fail<OptionError>("task", "unknown task {}; expected {}{}", quote(name),
                    fmt::format("{}", fmt::join(names, ", ")), nearest_hint(name, names));
}

}  // namespace

void check_not_training(const std::string& path) { train::check_not_training(path); }

std::vector<std::string> training_tasks() {
  std::vector<std::string> out;
  for (const TrainedTask& task : all_tasks(api::Tasks())) out.emplace_back(task.name);
  return out;
}

const OptionSchema& training_schema(std::string_view task) { return task_named(task).schema(); }

std::string_view training_targets(std::string_view task) { return task_named(task).targets; }

std::vector<NamedOptions> training_presets(std::string_view task) {
  return task_named(task).presets();
}

Options options_by_data(std::string_view task, const Options& given) {
  return task_named(task).followed(given);
}

TrainingResult train_model(std::string_view task, const Options& options,
                           const OnUpdate& on_update) {
  return train_model(task, options, TrainingHooks{.on_update = on_update}, Ranks());
}

TrainingResult train_model(std::string_view task, const Options& options,
                           const TrainingHooks& hooks, const Ranks& ranks) {
  return task_named(task).train(options, hooks, ranks);
}

Ranks::Ranks() : group_(train::single_process()) {}

Ranks Ranks::join() { return Ranks(train::join_group()); }

std::optional<int> Ranks::cores_each() {
  const train::Launch launch = train::launch();
  return launch.ranks > 1 ? std::optional(train::cores_for(launch)) : std::nullopt;
}

int Ranks::size() const { return group_->size(); }
bool Ranks::is_first() const { return group_->is_first(); }
bool Ranks::any(bool value) const { return group_->any(value); }

void end_all_ranks(int status) { train::end_all_ranks(status); }

}  // namespace weft
