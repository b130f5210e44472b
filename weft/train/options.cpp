#include "weft/train/options.h"

#include "weft/core/error.h"

namespace weft::train {

void LoopOptions::validate() const {
  if (mini_batch_fit != (workspace > 0)) {
    fail<OptionError>(mini_batch_fit ? "--mini-batch-fit" : "--workspace", "needs {}",
                      mini_batch_fit ? "--workspace, the memory limit in MB" : "--mini-batch-fit");
  }
  if (after.never()) {
    fail<OptionError>("--after", "expected a training length such as 10e or 20000u, got 0");
  }
}

bool ValidationOptions::is_due(const Progress& before, const Progress& after) const {
  if (passed(valid_freq, before, after)) return true;
  const bool is_first = !valid_freq.never() && !reached(valid_freq, before);
  return is_first && reached(valid_first, after) && !reached(valid_first, before);
}

void TrainOptions::validate(const TrainOptions& defaults) const {
  optimizer.validate();
  schedule.validate();
  loop.validate();
  if (optimizer.average_share > 0 && loop.average_checkpoints > 1) {
    fail<OptionError>("--average-share", "contradicts --average-checkpoints; expected one of them");
  }
  if (schedule.warmup_ratio > 0 && schedule.warmup != defaults.schedule.warmup) {
    fail<OptionError>("--lr-warmup-ratio", "contradicts --lr-warmup; expected one of them");
  }
  if (loop.mini_batch_fit && batching.mini_batch_words != defaults.batching.mini_batch_words) {
    fail<OptionError>("--mini-batch-words",
                      "contradicts --mini-batch-fit, which determines it; expected one of them");
  }
  if (!validation.valid_sets.empty() && validation.valid_metrics.empty()) {
    fail<OptionError>("--valid-metrics", "expected at least one metric");
  }
}

}  // namespace weft::train
