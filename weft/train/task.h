// A task: a model, its data, loss and validation metrics. The training loop, checkpoints,
// optimiser, schedule and ranks use a task only through this interface.
#ifndef WEFT_TRAIN_TASK_H_
#define WEFT_TRAIN_TASK_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/dataset.h"
#include "weft/data/images/image.h"
#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/options/any_options.h"
#include "weft/train/distributed/group.h"
#include "weft/train/options.h"

namespace weft::train {

// The examples of one forward and backward pass: a rank's shard of a batch.
struct MicroBatch {
  const data::Batch& batch;
  int64_t update = 0;  // from 0
  double weight = 1;   // of each target in the loss: 1 / (targets of the update)
};

// A validation result.
struct Metric {
  std::string name;  // "cross-entropy", "bleu"
  double value = 0;
  bool is_loss = false;  // lower is better
};

// What the model makes of a fixed validation example, for people to look at.
struct Sample {
  struct Picture {
    std::string name;  // "cross-attention"
    data::Image image;
  };
  std::string name;  // the same at every validation
  std::string text;  // Markdown
  std::vector<Picture> pictures;
};

// The trainer calls make_model(), begin() and read_data() in this order, then
// loss(), validate() and save() during training.
class Task {
 public:
  virtual ~Task() = default;

  virtual std::string_view name() const = 0;  // "tagging"
  virtual const TrainOptions& options() const = 0;
  // All options, including the training options.
  virtual options::AnyOptions all_options() const = 0;
  // The options themselves: a training that resumes may set some of them before make_model().
  virtual options::OptionTable option_table() = 0;
  // A resumed training that is not given one of these options keeps the value it began with.
  virtual std::vector<EarlierDefault> earlier_defaults() const { return {}; }

  // Throws OptionError for a model that does not support several ranks.
  virtual void check_ranks() const {}

  // Creates the model with initial weights, or, unless training resumes, those of
  // --pretrained-model. Assets are read or made on rank 0. Writes no files. Throws OptionError,
  // FileError, FormatError.
  virtual void make_model(Group& group, bool resumes) = 0;
  // All parameters in visiting order, bound to one flat buffer of F32.
  virtual std::vector<nn::NamedParameter> parameters() = 0;
  virtual const Tensor& weights() const = 0;  // the flat buffer [P]

  // Reads the training data on every rank and the validation data on rank 0.
  virtual void read_data(Group& group) = 0;
  virtual std::shared_ptr<const data::Dataset> dataset() const = 0;
  // The weight of an example in the mean loss, such as its number of targets. The loss of an
  // update is divided by their sum, or by 1 where that is 0.
  virtual int64_t targets(int64_t example) const = 0;
  // A fingerprint of everything besides options that influences updates: data, assets, weights of
  // examples.
  virtual uint64_t fingerprint() const = 0;
  // Writes generated files other than the model.
  virtual void write_assets() const {}

  // Prepares for training with matrices and activations of this type, F32 or BF16. Returns the flat
  // buffer of BF16 parameters, or an empty tensor. Parameters that are frozen at this point have no
  // gradient.
  virtual Tensor begin(DType type) = 0;
  // The loss [1, 1], recorded on the context's tape: the sum over targets times batch.weight.
  virtual ops::Loss loss(const MicroBatch& batch, const nn::Context& context) = 0;

  // The metrics of --valid-metrics, in order, for the current weights. Called on rank 0. May throw
  // NumericError for scores that are not finite: the weights are then no better than others.
  virtual std::vector<Metric> validate() = 0;
  // Samples for the current weights, for --tensorboard. Called on rank 0 after validate(). Must not
  // change any state. May throw NumericError as validate() does.
  virtual std::vector<Sample> samples() { return {}; }
  // Writes the model with these weights [P]. Throws FileError.
  virtual void save(const std::string& path, const Tensor& weights) const = 0;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_TASK_H_
