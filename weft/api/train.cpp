#include "weft/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>

#include "weft/api/read_options.h"
#include "weft/api/tasks.h"
#include "weft/api/training_options.h"
#include "weft/core/log.h"
#include "weft/core/text/nearest.h"
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

template <class Task>
TrainingResult train_task(const Options& given, const OnUpdate& on_update) {
  api::TrainingOptions<Task> options;
  options::OptionTable table;
  table.add(options);
  api::assign(given, table);
  options.check_given();
  table.check_required();
  table.check_files();
  options.validate();
  api::check_kind(options.training.loop, Task::kind_of(options.training));
  const std::shared_ptr<train::Group> group = train::single_process();
  const std::string report = api::follow_data<Task>(options, table, *group);
  if (!report.empty()) log::info("{}", report);
  train::Trainer trainer(std::make_unique<Task>(options.training), group);
  std::atomic<bool> stop = false;
  const train::Ending ending = trainer.run(stop, [&](const train::UpdateReport& update) {
    if (on_update && !on_update(progress_of(update))) stop.store(true);
  });
  const train::State& state = trainer.state();
  TrainingResult out{.end = end_of(ending), .updates = state.progress.updates};
  if (state.has_best) {
    out.best = state.best;
    out.best_update = state.best_update;
  }
  return out;
}

struct TrainedTask {
  std::string_view name;
  TrainingResult (*train)(const Options& options, const OnUpdate& on_update);
};

template <class... Task>
std::vector<TrainedTask> all_tasks(api::TaskList<Task...>) {
  return {{Task::kName, train_task<Task>}...};
}

}  // namespace

std::vector<std::string> training_tasks() {
  std::vector<std::string> out;
  for (const TrainedTask& task : all_tasks(api::Tasks())) out.emplace_back(task.name);
  return out;
}

TrainingResult train_model(std::string_view name, const Options& options,
                           const OnUpdate& on_update) {
  for (const TrainedTask& task : all_tasks(api::Tasks())) {
    if (task.name == name) return task.train(options, on_update);
  }
  const std::vector<std::string> names = training_tasks();
  fail<OptionError>("task", "unknown task {}; expected {}{}", quote(name),
                    fmt::format("{}", fmt::join(names, ", ")), nearest_hint(name, names));
}

}  // namespace weft
