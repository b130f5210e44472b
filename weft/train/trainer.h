// The training loop: updates, validation, checkpoints. A run that is killed at any time and started
// again with the same command gives the same bytes as an uninterrupted run.
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
#include "weft/train/records/records.h"
#include "weft/train/task.h"
#include "weft/train/update_report.h"

namespace weft::train {

// How a run ended: --after reached, early stopping, or stopped on request; or training had already
// finished or stalled before.
enum class Ending { kFinished, kStoppedEarly, kStopped, kWasFinished, kHadStoppedEarly };

class Trainer {
 public:
  // Creates the task's model, reads its data, and resumes from a checkpoint if there is one;
  // otherwise writes an initial one. Each rank of the group processes its shard of every batch;
  // only rank 0 makes assets, validates and writes files. Throws OptionError, FileError or
  // FormatError without having written anything.
  explicit Trainer(std::unique_ptr<Task> task, std::shared_ptr<Group> group = single_process());

  // Trains until --after, early stopping, or until `stop` becomes true on any rank; the state is
  // then saved, and the model where no validation has chosen one, and training can be resumed
  // later. Calls `on_update` after each update. Throws NumericError after more than --max-skipped
  // consecutive updates with a non-finite loss or gradient.
  Ending run(const std::atomic<bool>& stop,
             const std::function<void(const UpdateReport&)>& on_update);

  // Receives the metrics of each validation, on the first rank, before the model is saved.
  using OnValidation = std::function<void(int64_t update, const std::vector<Metric>& metrics)>;
  void on_validation(OnValidation receive) { on_validation_ = std::move(receive); }

  const State& state() const { return state_; }

 private:
  struct Update {
    std::vector<data::Batch> batches;
    int64_t targets = 0;  // 1 or more
    data::DataPosition next;
    int64_t epochs = 0;  // that end with this update
  };

  bool claim_files();
  void keep_begun_options();
  void make_model(bool resumes);
  void read_data();
  void check_same_data() const;
  void check_same_parameters() const;
  void resume();
  void fit_batches();
  void make_schedule(bool resumes);
  int64_t bytes_outside_pool() const;
  int64_t memory_with(int64_t rows);
  data::BatchOptions batch_options() const;
  void start_batches();
  Update next_update();
  void step(const Update& update, const std::function<void(const UpdateReport&)>& on_update);
  double gradients_of(const Update& update);
  void update_statistics();
  void skip(double loss, double norm);
  void validate_and_save(const Progress& before);
  std::vector<Metric> measure();
  void validate();
  void take_snapshot();
  void drop_old_snapshots();
  Tensor weights_to_save() const;
  void save();
  bool is_done() const;
  void save_model() const;
  bool has_chosen() const;     // whether the model file is that of the best validation
  void restore_model() const;  // if training has ended and the file is missing
  void complete_model() const;
  UpdateReport report(const Progress& before, double norm, double rate);

  std::unique_ptr<Task> task_;
  const TrainOptions& options_;  // of the task
  std::shared_ptr<Group> group_;
  std::optional<FileLock> lock_, target_lock_, metrics_lock_;  // on rank 0
  std::optional<Records> records_;                             // on rank 0
  std::string checkpoint_;
  std::shared_ptr<const data::Dataset> dataset_;
  Tensor weights_;  // [P], of the task
  Tensor rounded_;  // [P], BF16 weights, or empty
  ParameterRanges ranges_;
  std::optional<Optimizer> optimizer_;
  std::optional<Schedule> schedule_;
  autograd::Gradients gradients_;
  std::optional<GradientBuckets> buckets_;  // if there are several ranks
  autograd::Tape tape_;
  std::vector<nn::RunningStatistics> statistics_;  // of batch norms and clusters in this update
  std::deque<Tensor> snapshots_;
  OnValidation on_validation_;
  State state_;
  Timer since_start_, since_report_;
  double epoch_targets_ = 0;  // of the data set
  int64_t targets_at_start_ = 0;
  int64_t targets_at_report_ = 0;
  std::unique_ptr<data::Prefetch<data::BatchSource::Item>> batches_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_TRAINER_H_
