#include "weft/train/schedule/length.h"

#include <algorithm>
#include <cmath>

#include "weft/core/log.h"

namespace weft::train {
namespace {

// What an epoch goes over, examples counted as often as their part's weight says.
struct EpochSize {
  double examples = 0, rows = 0;
};

EpochSize epoch_size(const data::Dataset& dataset) {
  EpochSize out;
  for (const data::Part& part : dataset.parts()) {
    int64_t rows = 0;
    for (int64_t i = part.begin; i < part.end; ++i) rows += dataset.cost(i).rows;
    out.examples += part.weight * static_cast<double>(part.end - part.begin);
    out.rows += part.weight * static_cast<double>(rows);
  }
  return out;
}

// The batches of an epoch that are as large as the options allow.
double full_batches(const data::BatchOptions& batching, const EpochSize& epoch) {
  const auto batches = [](double amount, int64_t limit) {
    return limit > 0 ? amount / static_cast<double>(limit) : 0;
  };
  return std::max({1.0, batches(epoch.rows, batching.mini_batch_words),
                   batches(epoch.examples, batching.mini_batch)});
}

}  // namespace

int64_t planned_updates(const LoopOptions& loop, const data::BatchOptions& batching,
                        const data::Dataset& dataset, double targets) {
  const auto length = static_cast<double>(loop.after.value);
  if (loop.after.unit == options::Period::Unit::kUpdates) return loop.after.value;
  const double per_epoch =
      full_batches(batching, epoch_size(dataset)) / static_cast<double>(loop.optimizer_delay);
  const double epochs =
      loop.after.unit == options::Period::Unit::kEpochs ? length : length / targets;
  return std::max<int64_t>(1, std::llround(std::ceil(epochs * per_epoch)));
}

double completed_fraction(const options::Period& length, const Progress& progress,
                          double epoch_part) {
  const double count =
      static_cast<double>(counter(length, progress)) +
      (length.unit == options::Period::Unit::kEpochs ? std::clamp(epoch_part, 0.0, 1.0) : 0);
  return std::min(1.0, count / static_cast<double>(length.value));
}

void warn_if_never_warm(const ScheduleOptions& schedule, const options::Period& after,
                        int64_t updates) {
  if (schedule.warmup <= updates) return;
  log::warn(
      "the learning rate warms up for {} updates, and training ends after about {} (--after {}): "
      "it reaches {:.2g} of --learn-rate {}; hint: --lr-warmup {}, or a longer --after",
      schedule.warmup, updates, after.text(),
      schedule.learn_rate * static_cast<double>(updates) / static_cast<double>(schedule.warmup),
      schedule.learn_rate, std::max<int64_t>(1, updates / 10));
}

}  // namespace weft::train
