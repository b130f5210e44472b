// The training loop: updates, validation, checkpoints. The same command started again after a kill
// at any instant ends with the same bytes as if it had never stopped.
#ifndef WEFT_TRAIN_TRAINER_H_
#define WEFT_TRAIN_TRAINER_H_

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "weft/core/timer.h"
#include "weft/data/batcher.h"
#include "weft/data/prefetch.h"
#include "weft/nn/statistics.h"
#include "weft/train/checkpoint.h"
#include "weft/train/distributed/gradient_buckets.h"
#include "weft/train/file_lock.h"
#include "weft/train/parameter_ranges.h"
#include "weft/train/task.h"

namespace weft::train {

// What one update was like.
struct UpdateReport {
  Progress progress;
  // The task's loss, a mean over the targets since the last report.
  double loss = 0;
  double learn_rate = 0;
  double gradient_norm = 0;       // of this update, before clipping
  double targets_per_second = 0;  // since the last report that was due
  double seconds_left = 0;        // until --after, at the mean speed so far
  int64_t skipped = 0;
  bool is_due = false;  // --disp-freq has passed
};

// How a run ends: at --after, by early stopping, told to; or nothing was left to do, for either
// reason.
enum class Ending { kFinished, kStalled, kStopped, kWasFinished, kWasStalled };

class Trainer {
 public:
  // Makes the task's model, reads its data, and resumes from a checkpoint where there is one; else
  // writes the first one. In a group every rank takes its shard of the examples of each batch, and
  // rank 0 alone makes vocabularies, validates and writes files. Throws OptionError, FileError or
  // FormatError for what is wrong with any of them, and has then written nothing.
  explicit Trainer(std::unique_ptr<Task> task, std::shared_ptr<Group> group = single_process());

  // Trains until --after, early stopping, or until `stop` turns true on any rank: then the state is
  // saved and training can go on another time. `on_update` is called after each update. Throws
  // NumericError after more than --max-skipped updates in a row without a finite loss and gradient.
  Ending run(const std::atomic<bool>& stop,
             const std::function<void(const UpdateReport&)>& on_update);

  const State& state() const { return state_; }

 private:
  struct Update {
    std::vector<data::Batch> batches;
    int64_t targets = 0;
    data::DataPosition next;
    int64_t epochs = 0;  // that end with it
  };

  bool claim_files();
  void make_model(bool resumes);
  void read_data();
  void check_same_data() const;
  void check_same_parameters() const;
  void resume();
  void fit_batches();
  int64_t memory_with(int64_t words);
  data::BatchOptions batch_options() const;
  void start_batches();
  Update next_update();
  void step(const Update& update, const std::function<void(const UpdateReport&)>& on_update);
  double gradients_of(const Update& update);
  void update_statistics();
  void skip(double loss, double norm);
  void validate_and_save(const Progress& before);
  void validate();
  void take_snapshot();
  void drop_old_snapshots();
  Tensor published() const;
  void save();
  bool is_done() const;
  void save_model() const;
  void restore_model() const;  // where training ends and the file is gone
  UpdateReport report(const Progress& before, double norm, double rate);

  std::unique_ptr<Task> task_;
  const TrainOptions& options_;  // the task's
  std::shared_ptr<Group> group_;
  std::optional<FileLock> lock_;  // on rank 0
  std::string checkpoint_;
  std::shared_ptr<const data::Dataset> dataset_;
  Tensor weights_;  // [P], the task's
  Tensor rounded_;  // the same in BF16, or empty
  ParameterRanges ranges_;
  std::optional<Adam> optimizer_;
  Schedule schedule_;
  autograd::Gradients gradients_;
  std::optional<GradientBuckets> buckets_;  // where there are other ranks
  autograd::Tape tape_;
  std::vector<nn::RunningStatistics> statistics_;  // of batch norms and clusters in this update
  std::deque<Tensor> snapshots_;
  State state_;
  Timer since_start_, since_report_;
  double epoch_targets_ = 0;  // in the data set
  int64_t targets_at_start_ = 0;
  int64_t targets_at_report_ = 0;
  std::unique_ptr<data::Prefetch<data::BatchSource::Item>> batches_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_TRAINER_H_
