// All recorders of a training, as the training loop sees them.
#ifndef WEFT_TRAIN_RECORDS_RECORDS_H_
#define WEFT_TRAIN_RECORDS_RECORDS_H_

#include <memory>
#include <vector>

#include "weft/core/timer.h"
#include "weft/train/records/recorder.h"
#include "weft/train/state.h"

namespace weft::train {

class Records {
 public:
  // Throws FileError for files that could not be written later, and for those of another training.
  // Call it before long computations; it writes nothing.
  static void check(const RecordOptions& options, bool resumes, bool overwrite);

  // Opens the files of --metrics and --tensorboard. `resumes`: there is a state of this training,
  // maybe of before its first update. Throws FileError and FormatError.
  Records(Task& task, const State& state, bool resumes);

  // For a report that is due. `gradient` [P].
  void add(const UpdateReport& report, const Tensor& gradient);
  // For a validation of the task's current weights.
  void add(int64_t update, std::vector<Metric> metrics);
  // Call it before the state is saved.
  void sync();

 private:
  Task& task_;
  std::vector<Part> parts_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  Timer since_start_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_RECORDS_H_
