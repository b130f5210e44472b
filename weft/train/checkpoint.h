// The whole state of training as one file, written whole or not at all.
#ifndef WEFT_TRAIN_CHECKPOINT_H_
#define WEFT_TRAIN_CHECKPOINT_H_

#include <deque>
#include <string>

#include "weft/formats/any_options.h"
#include "weft/train/optim/adam.h"
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
// "model.safetensors" -> "model.safetensors.lock"; one name for all that have one checkpoint.
std::string lock_path(const std::string& model_path);

// The state of a training that has made no update yet: without tensors, for it is begun anew. It
// tells that the model's file is this training's. Throws FileError.
void begin_checkpoint(const std::string& path, const formats::AnyOptions& options,
                      const State& state);

// Throws FileError.
void save_checkpoint(const std::string& path, const formats::AnyOptions& options,
                     const Checkpoint& from);

// Whether the training of this state has made an update. Throws FileError, and FormatError for a
// file that is no checkpoint or has a changed byte.
bool has_updates(const std::string& path);

// Goes on from a file, where to.state tells the text and the ranks of now; the best validation is
// forgotten where another measure gave it. Throws FileError, FormatError for a file that is no
// checkpoint, and OptionError naming an option that decides the updates and was another when it was
// written, or for another text or number of ranks.
void load_checkpoint(const std::string& path, const formats::AnyOptions& options,
                     const Checkpoint& to);

}  // namespace weft::train

#endif  // WEFT_TRAIN_CHECKPOINT_H_
