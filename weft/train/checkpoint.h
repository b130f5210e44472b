// The complete training state as one file, written atomically.
#ifndef WEFT_TRAIN_CHECKPOINT_H_
#define WEFT_TRAIN_CHECKPOINT_H_

#include <deque>
#include <span>
#include <string>

#include "weft/options/any_options.h"
#include "weft/train/optim/optimizer.h"
#include "weft/train/options.h"
#include "weft/train/state.h"

namespace weft::train {

// The content of a checkpoint, saved from and loaded into these objects.
struct Checkpoint {
  State& state;
  const Tensor& parameters;  // [P]
  Optimizer& optimizer;
  std::deque<Tensor>& snapshots;  // [P] each, oldest first
};

// "model.safetensors" -> "model.training.safetensors"
std::string checkpoint_path(const std::string& model_path);
// "model.safetensors" -> "model.safetensors.lock"; the same for all models that share a checkpoint.
std::string lock_path(const std::string& model_path);

// Writes the state before the first update, without tensors. It marks the model file as belonging
// to this training. Throws FileError.
void begin_checkpoint(const std::string& path, const options::AnyOptions& options,
                      const State& state);

// Throws FileError.
void save_checkpoint(const std::string& path, const options::AnyOptions& options,
                     const Checkpoint& checkpoint);

// Whether the checkpoint was written after at least one update. Throws FileError, and FormatError
// for a file that is not a checkpoint or is damaged.
bool has_updates(const std::string& path);

// The state and the options, JSON, of a training. Throws as has_updates() does.
struct TrainingRecord {
  State state;
  std::string options;
};
TrainingRecord read_training_record(const std::string& path);

// For each option named in `earlier` that has its default value, sets the value that the checkpoint
// has, or its earlier default if the checkpoint lacks the option. `table` is of the same type as
// `options`. Throws as has_updates() does, and FormatError for options that cannot be read.
void keep_options(const std::string& path, const options::AnyOptions& options,
                  std::span<const EarlierDefault> earlier, options::OptionTable& table);

// Loads a checkpoint to resume from. On entry checkpoint.state holds the current data fingerprint
// and number of ranks. The best validation result is discarded if its metric has changed. Throws
// FileError, FormatError for a file that is not a checkpoint, and OptionError if an option that
// influences updates, the data or the number of ranks has changed.
void load_checkpoint(const std::string& path, const options::AnyOptions& options,
                     const Checkpoint& checkpoint, std::span<const EarlierDefault> earlier = {});

}  // namespace weft::train

#endif  // WEFT_TRAIN_CHECKPOINT_H_
