#include "weft/train/records/records.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "weft/core/files/checksum.h"
#include "weft/core/log.h"
#include "weft/core/profile.h"
#include "weft/options/json.h"
#include "weft/options/option_value.h"
#include "weft/train/records/event_folder.h"
#include "weft/train/records/metrics_file.h"

namespace weft::train {
namespace {

// Stays the same while the training may resume, and when a later version adds options or changes
// their defaults.
std::string id_of(const Task& task, const State& state) {
  const options::AnyOptions options = task.all_options(), defaults = options.defaults();
  const options::OptionTable table = options.table();
  options::OptionTable plain = defaults.table();
  for (const auto& [option, value] : task.earlier_defaults()) {
    plain.assign({std::string(option), {std::string(value)}, std::string(option)});
  }
  Checksum sum;
  sum.add(fmt::format("{} {} {}", task.name(), state.fingerprint, state.ranks));
  for (const options::Option& option : table.options()) {
    const std::vector<std::string> values = options::values_of(option);
    if (option.meta.may_change || values == options::values_of(*plain.find(option.name))) continue;
    sum.add(fmt::format("\n{}", option.name));
    for (const std::string& value : values) sum.add(fmt::format("\t{}", value));
  }
  return fmt::format("{:016x}", sum.value());
}

std::vector<Sample> samples_of(Task& task) {
  try {
    return task.samples();
  } catch (const NumericError& error) {  // of weights that are no good
    log::warn("no samples: {}", error.what());
    return {};
  }
}

}  // namespace

void Records::check(const RecordOptions& options, bool resumes, bool overwrite) {
  if (!options.metrics.empty()) MetricsFile::check(options.metrics, resumes, overwrite);
  if (!options.tensorboard.empty()) EventFolder::check(options.tensorboard, resumes, overwrite);
}

Records::Records(Task& task, const State& state, bool resumes) : task_(task) {
  const RecordOptions& options = task.options().loop.records;
  if (options.metrics.empty() && options.tensorboard.empty()) return;
  parts_ = parts_of(task.parameters());
  const options::AnyOptions all = task.all_options();
  const TrainingStart start{.task = std::string(task.name()),
                            .parameters = task.weights().size(),
                            .options = options::to_json(all.table()),
                            .id = id_of(task, state),
                            .updates = state.progress.updates,
                            .resumes = resumes};
  if (!options.metrics.empty()) {
    recorders_.push_back(std::make_unique<MetricsFile>(options.metrics, start));
  }
  if (!options.tensorboard.empty()) {
    recorders_.push_back(std::make_unique<EventFolder>(options.tensorboard, start));
  }
}

void Records::add(const UpdateReport& report, const Tensor& gradient) {
  if (recorders_.empty()) return;
  UpdateRecord record{.report = report,
                      .seconds = since_start_.seconds(),
                      .memory = process_memory(),
                      .gradient_norms = {}};
  for (const Part& part : parts_) {
    record.gradient_norms.push_back({part.name, norm_of(part, gradient)});
  }
  const profile::Span span("recording");
  for (const auto& recorder : recorders_) recorder->on_update(record);
}

void Records::add(int64_t update, std::vector<Metric> metrics) {
  if (recorders_.empty()) return;
  ValidationRecord record{.update = update,
                          .seconds = since_start_.seconds(),
                          .metrics = std::move(metrics),
                          .histograms = {},
                          .samples = {}};
  const auto wants = [](const auto& recorder) { return recorder->wants_details(); };
  const bool has_details = std::ranges::any_of(recorders_, wants);
  if (has_details) record.samples = samples_of(task_);
  const profile::Span span("recording");
  if (has_details) {
    for (const Part& part : parts_) {
      record.histograms.push_back({part.name, histogram_of(part, task_.weights())});
    }
  }
  for (const auto& recorder : recorders_) recorder->on_validation(record);
}

void Records::sync() {
  for (const auto& recorder : recorders_) recorder->sync();
}

}  // namespace weft::train
