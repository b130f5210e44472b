// Training of models, for any task.
#ifndef WEFT_TRAIN_H_
#define WEFT_TRAIN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

// After an update.
struct TrainingProgress {
  int64_t epoch = 0;   // complete ones
  int64_t update = 0;  // so far, of all runs of this training
  double loss = 0;     // mean for each target since the last due report; NaN if there is none
  double learn_rate = 0;
  double gradient_norm = 0;  // before clipping
  double targets_per_second = 0;
  double seconds_left = 0;
  bool is_due = false;  // by the option `disp-freq`
};

// Called after each update; returns false to stop: the training then saves its state, and the same
// call goes on from there.
using OnUpdate = std::function<bool(const TrainingProgress&)>;

enum class TrainingEnd {
  kFinished,
  kStoppedEarly,     // no better validation for as long as `early-stopping` says
  kStopped,          // by OnUpdate
  kWasFinished,      // before this call
  kHadStoppedEarly,  // before this call
};

struct TrainingResult {
  TrainingEnd end = TrainingEnd::kFinished;
  int64_t updates = 0;
  // The best value of the first validation metric, and when that was; the file has those weights.
  std::optional<double> best = {};
  int64_t best_update = 0;
};

// "translation", "classification", "tagging", ...: `weft train TASK`
WEFT_API std::vector<std::string> training_tasks();

// Trains as `weft train TASK` does. The option `train-sets` names the data, and `model` the file to
// write. If the training was stopped or killed before, it continues. Throws OptionError, FileError
// or FormatError before it writes anything, and NumericError if the loss stays infinite or NaN.
WEFT_API TrainingResult train_model(std::string_view task, const Options& options,
                                    const OnUpdate& on_update = {});

}  // namespace weft

#endif  // WEFT_TRAIN_H_
