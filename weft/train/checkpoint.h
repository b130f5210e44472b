// The whole state of training as one file, written whole or not at all.
#ifndef WEFT_TRAIN_CHECKPOINT_H_
#define WEFT_TRAIN_CHECKPOINT_H_

#include <deque>
#include <string>

#include "weft/train/optim/adam.h"
#include "weft/train/options.h"
#include "weft/train/state.h"

namespace weft::train {

// What goes into a checkpoint and comes back from it.
struct Checkpoint {
  State& state;
  const Tensor& parameters;  // [P]
  Adam& optimizer;
  std::deque<Tensor>& snapshots;  // [P] each, oldest first
};

// "model.safetensors" -> "model.training.safetensors"
std::string checkpoint_path(const std::string& model_path);

void save_checkpoint(const std::string& path, const TrainOptions& options, const Checkpoint& from);

// Throws FormatError for a file that is no checkpoint, and OptionError naming each option that
// decides the updates and was another when it was written.
void load_checkpoint(const std::string& path, const TrainOptions& options, const Checkpoint& to);

}  // namespace weft::train

#endif  // WEFT_TRAIN_CHECKPOINT_H_
