// weft train: from data to a model file, for any task.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <filesystem>

#include "apps/weft/command.h"
#include "apps/weft/logging.h"
#include "weft/api/tasks.h"
#include "weft/api/training_options.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/profile.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/nearest.h"
#include "weft/core/timer.h"
#include "weft/formats/chrome_trace.h"
#include "weft/tensor/pool.h"
#include "weft/train/distributed/launch.h"
#include "weft/train/trainer.h"

namespace weft::app {
namespace {

// Set by Ctrl-C and SIGTERM: training saves its state after the current update, and ends. Further
// signals change nothing: GNU timeout, for one, sends each twice.
std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};

extern "C" void request_stop(int signal) {
  stop_signal.store(signal);
  stop_requested.store(true);
}

// The status that a shell gives a program which a signal ended; the same on all ranks.
int stopped_status(train::Group& group) {
  const bool is_interrupt = group.any(stop_signal.load() == SIGINT);
  return 128 + (is_interrupt ? SIGINT : SIGTERM);
}

// "1:02:03"
std::string clock_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// `targets` is what the task counts: "tokens".
std::string progress_text(const train::UpdateReport& r, std::string_view targets) {
  std::string text =
      fmt::format("epoch {} update {} loss {:.4f} rate {:.3e} norm {:.2f} {:.0f} {}/s {} left",
                  r.progress.epochs + 1, r.progress.updates, r.loss, r.learn_rate, r.gradient_norm,
                  r.targets_per_second, targets, clock_text(r.seconds_left));
  if (r.skipped > 0) text += fmt::format(", {} updates skipped", r.skipped);
  return text;
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

template <class Task>
struct TrainCommand : api::TrainingOptions<Task> {
  bool profile = false;
  std::string profile_trace;

  template <class V>
  void fields(V& v) {
    api::TrainingOptions<Task>::fields(v);
    options::group(v, "Profile");
    v("profile", profile, {.help = "print a table of where the time went, at the end"});
    v("profile-trace", profile_trace,
      {.help = "file of every kernel's call, for chrome://tracing or ui.perfetto.dev",
       .writes = true});
  }
};

// The options of a training and the table that says which were given.
template <class Task>
class TrainingCommand {
 public:
  TrainingCommand() { table_.add(options_); }
  TrainingCommand(const TrainingCommand&) = delete;
  TrainingCommand& operator=(const TrainingCommand&) = delete;

  // False after --help or --dump-config.
  bool parse(const CommandInfo& info, const Args& args) {
    const ParseSteps steps{.check_given = [this] { options_.check_given(); },
                           .before_dump = [this] { follow_data(*train::single_process()); }};
    if (!parse_options(info, table_, args, steps)) return false;
    try {
      options_.validate();
      check_preset();
    } catch (const OptionError& error) {
      rethrow_with_origin(error, table_);
    }
    return true;
  }

  // Sets options that were not given, on all ranks alike. Returns what to log, or nothing.
  std::string follow_data(train::Group& group) {
    return api::follow_data<Task>(options_, table_, group);
  }

  const TrainCommand<Task>* operator->() const { return &options_; }

 private:
  void check_preset() const {
    if (api::is_given(table_, "task") && api::is_given(table_, "preset") &&
        options_.preset != tasks::kNoPreset) {
      fail<OptionError>("--preset", "contradicts --task; expected one of them");
    }
  }

  TrainCommand<Task> options_;
  options::OptionTable table_;
};

// Where nothing else is said, the ranks of a machine share its cores.
void share_cores() {
  const train::Launch launch = train::launch();
  if (launch.ranks > 1) set_threads(std::min(train::cores_for(launch), usable_cores()));
}

// The processes that mpirun started together, if it did. Rank 0 speaks for all; an error is
// reported by the rank that meets it.
std::shared_ptr<train::Group> join_group() {
  std::shared_ptr<train::Group> group = train::join_group();
  if (group->size() == 1) return group;
  if (!group->is_first()) log::set_sink({});
  log::info("{} ranks, {} each", group->size(), counted(threads(), "thread"));
  const int wanted = std::max(threads(), train::cores_for(train::launch()));
  if (usable_cores() < wanted) {
    log::warn(
        "mpirun has bound this process to {}, it could use {}; hint: mpirun --bind-to "
        "none",
        counted(usable_cores(), "core"), wanted);
  }
  return group;
}

// Of several ranks one alone has what mpirun reads.
void check_standard_input(const options::OptionTable& table, const train::Group& group) {
  const options::Option* const option = table.reads_standard_input();
  if (option == nullptr || group.size() == 1) return;
  fail<OptionError>("--" + option->name, "one of {} ranks alone has standard input; expected files",
                    group.size());
}

void report_profile(bool as_table, const std::string& trace) {
  profile::stop();
  if (as_table) {
    const double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    print(profile::table());
    const PoolStatistics memory = pool_statistics();
    print(
        fmt::format("{} threads, {:.1f} s of processor time in all; tensors took {:.0f} MB at "
                    "most, {:.0f} MB held for them\n",
                    threads(), processor, static_cast<double>(memory.peak_bytes) / 1e6,
                    static_cast<double>(memory.reserved_bytes) / 1e6));
  }
  if (trace.empty()) return;
  formats::write_chrome_trace(trace, profile::events());
}

template <class Task>
int run_task(const CommandInfo& info, const Args& args) {
  TrainingCommand<Task> options;
  if (!options.parse(info, args)) return 0;
  api::check_kind(options->training.loop, Task::kind_of(options->training));
  const std::shared_ptr<train::Group> group = join_group();
  if (const std::string report = options.follow_data(*group); !report.empty()) {
    log::info("{}", report);
  }
  auto task = std::make_unique<Task>(options->training);
  check_standard_input(task->all_options().table(), *group);
  const bool has_trace = !options->profile_trace.empty();
  if (has_trace && group->is_first()) {
    check_writable(options->profile_trace);
  }
  const ReadFiles inputs;
  train::Trainer trainer(std::move(task), group);
  if (has_trace) inputs.check_output("--profile-trace", options->profile_trace);
  std::signal(SIGINT, request_stop);  // before, there is nothing to save
  std::signal(SIGTERM, request_stop);
  if (options->profile || has_trace) profile::start(has_trace);
  Timer since_shown;
  const auto on_update = [&](const train::UpdateReport& report) {
    if (report.is_due) log::info("{}", progress_text(report, Task::kTargets));
    if (since_shown.seconds() < 0.2) return;
    show_status(progress_text(report, Task::kTargets));
    since_shown.restart();
  };
  const train::Ending ending = trainer.run(stop_requested, on_update);
  show_status("");
  log::info("{}", ending_text(ending, trainer.state()));
  log::info("{}", saved_text(options->training, trainer.state()));
  if (group->is_first()) report_profile(options->profile, options->profile_trace);
  flush_output();  // mpirun may end all ranks with the first one
  return ending == train::Ending::kStopped ? stopped_status(*group) : 0;
}

struct TaskEntry {
  std::string_view name;
  int (*run)(const CommandInfo& info, const Args& args);
  std::span<const Preset> presets;
};

template <class Task>
constexpr std::span<const Preset> presets_of() {
  if constexpr (requires { Task::kPresets; }) {
    return Task::kPresets;
  } else {
    return {};
  }
}

// By name; the first is the default.
template <class... Task>
std::vector<TaskEntry> entries_of(api::TaskList<Task...>) {
  return {{Task::kName, run_task<Task>, presets_of<Task>()}...};
}

// The task of a command, such as classification for classify: with which it shares most letters.
std::string task_hint(std::string_view name, std::span<const std::string> tasks) {
  for (const std::string& task : tasks) {
    const auto shared = std::ranges::mismatch(name, task).in1 - name.begin();
    if (shared >= 3 && 3 * shared >= 2 * std::ssize(name)) {
      return fmt::format("; hint: did you mean {}?", task);
    }
  }
  return nearest_hint(name, tasks);
}

TaskEntry task_named(const std::string& name) {
  std::vector<std::string> names;
  for (const TaskEntry& task : entries_of(api::Tasks())) {
    if (task.name == name) return task;
    names.emplace_back(task.name);
  }
  fail<OptionError>("train", "unknown task '{}'; expected {}{}", name,
                    fmt::format("{}", fmt::join(names, ", ")), task_hint(name, names));
}

}  // namespace

int run_train(const CommandInfo& info, const Args& args) {
  share_cores();
  CommandInfo with_presets = info;
  with_presets.usage = "weft train [TASK] [options]";
  const bool is_named = !args.empty() && !args.front().starts_with('-');
  const TaskEntry task = is_named ? task_named(args.front()) : entries_of(api::Tasks()).front();
  with_presets.presets = task.presets;
  return task.run(with_presets, {args.begin() + (is_named ? 1 : 0), args.end()});
}

}  // namespace weft::app
