// weft train: from data to a model file, for any task.
#include "weft/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>

#include "apps/weft/command.h"
#include "apps/weft/flags/library_options.h"
#include "apps/weft/logging.h"
#include "weft/core/files/atomic_file.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/core/parallel.h"
#include "weft/core/profile.h"
#include "weft/core/text/counted.h"
#include "weft/core/text/nearest.h"
#include "weft/core/timer.h"
#include "weft/formats/chrome_trace.h"
#include "weft/options/option_value.h"
#include "weft/settings.h"

namespace weft::app {
namespace {

// Set by Ctrl-C and SIGTERM: training saves its state after the current update, and ends. Further
// signals change nothing: GNU timeout, for one, sends each twice.
std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};

extern "C" void request_stop(int signal) {
  int none = 0;
  stop_signal.compare_exchange_strong(none, signal);
  stop_requested.store(true);
}

// The status that a shell gives a program which a signal ended; the same on all ranks.
int stopped_status(const Ranks& ranks) {
  const bool is_interrupt = ranks.any(stop_signal.load() == SIGINT);
  return 128 + (is_interrupt ? SIGINT : SIGTERM);
}

// "1:02:03"
std::string clock_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// `targets` is what the task counts: "tokens".
std::string progress_text(const TrainingProgress& p, std::string_view targets) {
  std::string text =
      fmt::format("epoch {} update {} loss {:.4f} rate {:.3e} norm {:.2f} {:.0f} {}/s {} left",
                  p.epoch + 1, p.update, p.loss, p.learn_rate, p.gradient_norm,
                  p.targets_per_second, targets, clock_text(p.seconds_left));
  if (p.skipped > 0) text += fmt::format(", {} updates skipped", p.skipped);
  return text;
}

struct TrainFlags {
  LibraryOptions training;
  bool profile = false;
  std::string profile_trace;

  explicit TrainFlags(std::string_view task) : training(training_schema(task)) {}

  template <class V>
  void fields(V& v) {
    training.fields(v);
    options::group(v, "Profile");
    v("profile", profile, {.help = "print a table of where the time went, at the end"});
    v("profile-trace", profile_trace,
      {.help = "file of every kernel's call, for chrome://tracing or ui.perfetto.dev",
       .writes = true});
  }
};

// The options of a training and the table that says which were given.
class TrainingCommand {
 public:
  explicit TrainingCommand(std::string_view task) : task_(task), options_(task) {
    table_.add(options_);
  }
  TrainingCommand(const TrainingCommand&) = delete;
  TrainingCommand& operator=(const TrainingCommand&) = delete;

  // False after --help or --dump-config.
  bool parse(const CommandInfo& info, const Args& args) {
    return parse_options(
        info, table_, args,
        {.check_given = [this] { check(); }, .before_dump = [this] { follow_data(); }});
  }

  // What was given of the training's own options.
  Options given() const {
    Options out;
    for (const options::Option& option : table_.options()) {
      if (option.origin.empty() || !options_.training.has(option.name)) continue;
      const std::vector<std::string> values = options::values_of(option);
      out.push_back(
          {option.name, option.is_list() ? OptionValue(values) : OptionValue(values.front())});
    }
    if (is_given("task") && !is_given("preset")) out.push_back({"preset", kNoPreset});
    return out;
  }
  const TrainFlags& flags() const { return options_; }

 private:
  static constexpr std::string_view kNoPreset = "none";

  bool is_given(std::string_view name) const {
    const options::Option* const option = table_.find(name);
    return option != nullptr && !option->origin.empty();
  }
  // Sets options that were not given.
  void follow_data() {
    for (const Option& option : options_by_data(task_, given())) {
      table_.withdraw(option.name, option.value.texts());
    }
  }
  void check() const {
    try {
      training_schema(task_).check(given());
      if (is_given("task") && is_given("preset") &&
          options_.training.value<std::string>("preset") != kNoPreset) {
        fail<OptionError>("--preset", "contradicts --task; expected one of them");
      }
    } catch (const OptionError& error) {
      rethrow_with_origin(error, table_);
    }
  }

  std::string task_;
  TrainFlags options_;
  options::OptionTable table_;
};

// Where nothing else is said, the ranks of a machine share its cores.
void share_cores() {
  if (const std::optional<int> cores = Ranks::cores_each()) {
    set_threads(std::min(*cores, usable_cores()));
  }
}

// The processes that mpirun started together, if it did. The first speaks for all; an error is
// reported by the rank that meets it.
Ranks join_ranks() {
  Ranks ranks = Ranks::join();
  if (ranks.size() == 1) return ranks;
  if (!ranks.is_first()) log::set_sink({});
  log::info("{} ranks, {} each", ranks.size(), counted(threads(), "thread"));
  const int wanted = std::max(threads(), Ranks::cores_each().value_or(1));
  if (usable_cores() < wanted) {
    log::warn(
        "mpirun has bound this process to {}, it could use {}; hint: mpirun --bind-to "
        "none",
        counted(usable_cores(), "core"), wanted);
  }
  return ranks;
}

void report_profile(bool as_table, const std::string& trace) {
  profile::stop();
  if (as_table) {
    const double processor = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    print(profile::table());
    const TensorMemory memory = tensor_memory();
    print(
        fmt::format("{} threads, {:.1f} s of processor time in all; tensors took {:.0f} MB at "
                    "most, {:.0f} MB held for them\n",
                    threads(), processor, static_cast<double>(memory.peak_bytes) / 1e6,
                    static_cast<double>(memory.reserved_bytes) / 1e6));
  }
  if (trace.empty()) return;
  formats::write_chrome_trace(trace, profile::events());
}

// What goes on beside a training: the status line, the profile, signals.
class Beside {
 public:
  Beside(const TrainFlags& options, std::string_view targets)
      : options_(options), targets_(targets) {}

  TrainingHooks hooks() {
    return {.on_update = [this](const TrainingProgress& progress) { return show(progress); },
            .on_start = [this] { start(); },
            .stop = &stop_requested};
  }

 private:
  bool has_trace() const { return !options_.profile_trace.empty(); }
  void start() const {
    if (has_trace()) inputs_.check_output("--profile-trace", options_.profile_trace);
    std::signal(SIGINT, request_stop);  // before, there is nothing to save
    std::signal(SIGTERM, request_stop);
    if (options_.profile || has_trace()) profile::start(has_trace());
  }
  bool show(const TrainingProgress& progress) {
    if (progress.is_due) log::info("{}", progress_text(progress, targets_));
    if (since_shown_.seconds() < 0.2) return true;
    show_status(progress_text(progress, targets_));
    since_shown_.restart();
    return true;
  }

  const TrainFlags& options_;
  std::string_view targets_;
  const ReadFiles inputs_;
  Timer since_shown_;
};

int run_task(const std::string& task, const CommandInfo& info, const Args& args) {
  TrainingCommand options(task);
  if (!options.parse(info, args)) return 0;
  const Ranks ranks = join_ranks();
  const std::string& trace = options.flags().profile_trace;
  if (!trace.empty() && ranks.is_first()) check_writable(trace);
  Beside beside(options.flags(), training_targets(task));
  const TrainingResult result = train_model(task, options.given(), beside.hooks(), ranks);
  show_status("");
  if (ranks.is_first()) report_profile(options.flags().profile, trace);
  flush_output();  // mpirun may end all ranks with the first one
  return result.end == TrainingEnd::kStopped ? stopped_status(ranks) : 0;
}

// The task whose name begins most like a command's, as classification for classify.
std::string task_hint(std::string_view name, std::span<const std::string> tasks) {
  for (const std::string& task : tasks) {
    const auto shared = std::ranges::mismatch(name, task).in1 - name.begin();
    if (shared >= 3 && 3 * shared >= 2 * std::ssize(name)) {
      return fmt::format("; hint: did you mean {}?", task);
    }
  }
  return nearest_hint(name, tasks);
}

std::string task_named(const std::string& name) {
  const std::vector<std::string> names = training_tasks();
  if (std::ranges::find(names, name) != names.end()) return name;
  fail<OptionError>("train", "unknown task '{}'; expected {}{}", name,
                    fmt::format("{}", fmt::join(names, ", ")), task_hint(name, names));
}

}  // namespace

int run_train(const CommandInfo& info, const Args& args) {
  share_cores();
  const bool is_named = !args.empty() && !args.front().starts_with('-');
  const std::string task = is_named ? task_named(args.front()) : training_tasks().front();
  std::vector<Preset> presets;
  for (const NamedOptions& one : training_presets(task)) presets.push_back({one.name, one.yaml});
  CommandInfo with_presets = info;
  with_presets.usage = "weft train [TASK] [options]";
  with_presets.presets = presets;
  return run_task(task, with_presets, {args.begin() + (is_named ? 1 : 0), args.end()});
}

}  // namespace weft::app
