// Writes what happens in a training to a file of some format.
#ifndef WEFT_TRAIN_RECORDS_RECORDER_H_
#define WEFT_TRAIN_RECORDS_RECORDER_H_

#include <string>
#include <vector>

#include "weft/core/process_memory.h"
#include "weft/train/records/parts.h"
#include "weft/train/task.h"
#include "weft/train/update_report.h"

namespace weft::train {

// What a recorder knows when it opens its files.
struct TrainingStart {
  std::string task;  // "tagging"
  int64_t parameters = 0;
  std::string options;  // as JSON
  // 16 hexadecimal digits that stand for the task, the data and the options that influence updates.
  std::string id;
  int64_t updates = 0;   // made before; what was recorded of later ones is dropped
  bool resumes = false;  // or has begun without having made an update
};

struct PartNorm {
  std::string part;
  double norm = 0;
};

struct UpdateRecord {
  UpdateReport report;
  double seconds = 0;  // since the start of this run
  ProcessMemory memory;
  std::vector<PartNorm> gradient_norms;  // before clipping
};

struct PartHistogram {
  std::string part;
  Histogram weights;
};

struct ValidationRecord {
  int64_t update = 0;
  double seconds = 0;
  std::vector<Metric> metrics;
  std::vector<PartHistogram> histograms;  // of the weights that were validated
  std::vector<Sample> samples;
};

// Records arrive in the order of their updates. Every failure to write is a FileError.
class Recorder {
 public:
  virtual ~Recorder() = default;

  virtual void on_update(const UpdateRecord& record) = 0;
  virtual void on_validation(const ValidationRecord& record) = 0;
  // Whether on_validation() reads histograms and samples.
  virtual bool wants_details() const { return false; }
  // Returns once everything is on the disk. Called before the training state is saved: a resumed
  // training goes on from there.
  virtual void sync() = 0;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_RECORDS_RECORDER_H_
