// Training of models, for any task.
#ifndef WEFT_TRAIN_H_
#define WEFT_TRAIN_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

namespace train {
class Group;
}

// After an update.
struct TrainingProgress {
  int64_t epoch = 0;   // complete ones
  int64_t update = 0;  // so far, of all runs of this training
  double loss = 0;     // mean for each target since the last due report; NaN if there is none
  double learn_rate = 0;
  double gradient_norm = 0;  // before clipping
  double targets_per_second = 0;
  double seconds_left = 0;
  int64_t skipped = 0;  // updates with gradients that were not finite, so far
  bool is_due = false;  // by the option `disp-freq`
};

// Called after each update; returns false to stop: the training then saves its state, and the same
// call goes on from there.
using OnUpdate = std::function<bool(const TrainingProgress&)>;

struct TrainingValidation {
  int64_t update = 0;
  std::vector<std::pair<std::string, double>> metrics = {};  // by `valid-metrics`, in their order
};
// Called after each validation; returns false to stop, as OnUpdate does.
using OnValidation = std::function<bool(const TrainingValidation&)>;

// Callbacks and the stop flag of a training. The training thread calls the callbacks; an exception
// that one of them throws ends the training without saving its state.
struct TrainingHooks {
  OnUpdate on_update = {};
  OnValidation on_validation = {};
  // Called ten times a second at most while data are read. What it throws ends the training, which
  // has written no model and no state yet. Where ranks train together, it has to throw on all.
  std::function<void()> while_reading = {};
  std::function<void()> on_start = {};  // when all data are read, before the first update
  // Another thread or a signal handler may set this flag to stop the training, as OnUpdate does.
  // The flag is also set if a callback stops the training: clear it before the next call.
  std::atomic<bool>* stop = nullptr;
};

// The processes, or ranks, that train one model together.
class WEFT_API Ranks {
 public:
  Ranks();  // this process alone
  // Those that mpirun started together, if it did. Throws OptionError where Weft's module for MPI
  // is missing or cannot be loaded.
  static Ranks join();
  // The number of cores of this machine for each process that mpirun started, without joining the
  // processes; empty if mpirun started none.
  static std::optional<int> cores_each();

  int size() const;
  bool is_first() const;       // the one that speaks for all
  bool any(bool value) const;  // whether it is true of any; all ranks have to call it

  // For the library itself.
  train::Group& group() const { return *group_; }
  const std::shared_ptr<train::Group>& shared_group() const { return group_; }

 private:
  explicit Ranks(std::shared_ptr<train::Group> group) : group_(std::move(group)) {}

  std::shared_ptr<train::Group> group_;
};
// Ends all ranks with this exit status, if this process has joined others: otherwise they would
// wait. The caller has reported the error.
WEFT_API void end_all_ranks(int status);

enum class TrainingEnd {
  kFinished,
  kStoppedEarly,     // no better validation for as long as `early-stopping` says
  kStopped,          // by a callback or TrainingHooks::stop
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
// The options of a task, and the name of the targets that TrainingProgress counts, such as
// "tokens". Both functions throw OptionError for an unknown task.
WEFT_API const OptionSchema& training_schema(std::string_view task);
WEFT_API std::string_view training_targets(std::string_view task);

// Options by a name, which Marian knows as --task.
struct NamedOptions {
  std::string_view name;
  std::string_view yaml;
};
WEFT_API std::vector<NamedOptions> training_presets(std::string_view task);

// The options that a training with the given ones sets by its data: those of the preset that the
// number of examples chooses. Throws OptionError, FileError, FormatError.
WEFT_API Options options_by_data(std::string_view task, const Options& given);

// Trains as `weft train TASK` does. The option `train-sets` names the data, and `model` the file to
// write. If the training was stopped or killed before, it continues. Throws OptionError, FileError
// or FormatError before it writes anything, and NumericError if the loss stays infinite or NaN.
WEFT_API TrainingResult train_model(std::string_view task, const Options& options,
                                    const OnUpdate& on_update = {});
WEFT_API TrainingResult train_model(std::string_view task, const Options& options,
                                    const TrainingHooks& hooks, const Ranks& ranks);

// Checks whether the file at `path` may be replaced: throws FileError if a process is training the
// model at `path`, or the model whose checkpoint is at `path`.
WEFT_API void check_not_training(const std::string& path);

}  // namespace weft

#endif  // WEFT_TRAIN_H_
