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
#include "weft/data/alignments.h"
#include "weft/data/prefetch.h"
#include "weft/data/weights.h"
#include "weft/infer/model_file.h"
#include "weft/train/checkpoint.h"
#include "weft/train/distributed/gradient_buckets.h"
#include "weft/train/file_lock.h"
#include "weft/train/objective/objective.h"
#include "weft/train/options.h"
#include "weft/train/validator.h"

namespace weft::train {

// What one update was like.
struct UpdateReport {
  Progress progress;
  // What training minimises, by --loss, --generation or a teacher, for each target token since the
  // last report; in nats, but for Euclidean distances.
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
  // Reads or makes vocabularies, reads the text, and goes on from a checkpoint where there is one;
  // else writes the first one. In a group every rank takes its share of the sentences of each
  // batch, and rank 0 alone reads vocabularies, validates and writes files. Throws OptionError,
  // FileError or FormatError for what is wrong with any of them, and has then written nothing.
  explicit Trainer(TrainOptions options, std::shared_ptr<Group> group = make_lone_group());

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
  void make_model(const std::vector<data::TokeniserPtr>& tokenisers, const Pretrained* pretrained);
  void read_text(const std::vector<data::TokeniserPtr>& tokenisers);
  void check_same_text() const;
  void check_same_parameters() const;
  void go_on();
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
  void restore_model();  // where training ends and the file is gone
  UpdateReport report(const Progress& before, double norm, double rate);

  TrainOptions options_;
  std::shared_ptr<Group> group_;
  std::optional<FileLock> lock_;  // on rank 0
  std::string checkpoint_;
  std::shared_ptr<const data::Corpus> corpus_;
  infer::Session session_;
  Tensor rounded_;  // the session's parameters in BF16, or empty
  // What runs in training: the session's model on its own parameters or on the rounded ones.
  models::Seq2Seq trained_;
  ParameterRanges ranges_;
  std::optional<Objective> objective_;
  std::optional<data::Weights> weights_;        // of sentences or tokens, where there are any
  std::optional<data::Alignments> alignments_;  // that guide attention, likewise
  std::optional<Adam> optimizer_;
  Schedule schedule_;
  std::unique_ptr<Validator> validator_;  // on rank 0
  autograd::Gradients gradients_;
  std::optional<GradientBuckets> buckets_;  // where there are other ranks
  autograd::Tape tape_;
  std::vector<nn::BatchStatistics> statistics_;  // that batch norms and clusters saw in this update
  std::deque<Tensor> snapshots_;
  State state_;
  Timer since_start_, since_report_;
  double epoch_targets_ = 0;  // target tokens in the text
  int64_t targets_at_start_ = 0;
  int64_t targets_at_report_ = 0;
  std::unique_ptr<data::Prefetch<data::BatchSource::Item>> batches_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_TRAINER_H_
