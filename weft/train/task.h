// What a user trains: a model, its data, its loss and what it is measured by. The loop,
// checkpoints, optimiser, schedule and ranks know a task by this interface alone.
#ifndef WEFT_TRAIN_TASK_H_
#define WEFT_TRAIN_TASK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/dataset.h"
#include "weft/formats/any_options.h"
#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/ops/cross_entropy.h"
#include "weft/train/distributed/group.h"
#include "weft/train/options.h"

namespace weft::train {

// The examples whose loss one pass computes: a rank's part of a batch.
struct MicroBatch {
  const data::Batch& batch;
  int64_t update = 0;  // from 0
  double weight = 1;   // of each target in the loss: 1 / targets of the update
};

// A value of a validation.
struct Metric {
  std::string name;  // "cross-entropy", "bleu"
  double value = 0;
  bool is_loss = false;  // less is better
};

// The trainer calls, in this order: check_inputs(), make_model(), read_data(), begin(), and then
// loss(), validate() and save() as training goes on.
class Task {
 public:
  virtual ~Task() = default;

  virtual const TrainOptions& options() const = 0;
  // All options, those of training included.
  virtual formats::AnyOptions all_options() const = 0;

  // Throws OptionError for a model that several ranks cannot train together.
  virtual void check_ranks() const {}
  // Throws FileError for an input that cannot be read, before work begins that may take long.
  virtual void check_inputs() const = 0;

  // Makes the model with its initial weights, or those of --pretrained-model unless a checkpoint
  // replaces them. Vocabularies are read or made on rank 0; nothing is written. Throws OptionError,
  // FileError, FormatError.
  virtual void make_model(Group& group, bool resumes) = 0;
  // All parameters in visiting order, bound to one flat buffer of F32.
  virtual std::vector<nn::NamedParameter> parameters() = 0;
  virtual const Tensor& weights() const = 0;  // that buffer, [P]

  // Reads the text of training on every rank, and that of validation on rank 0.
  virtual void read_data(Group& group) = 0;
  virtual std::shared_ptr<const data::Dataset> dataset() const = 0;
  // What an example counts in the mean that the loss is: its target tokens, say.
  virtual int64_t targets(int64_t example) const = 0;
  // Of all that decides updates beside the options: text, vocabularies, weights of examples.
  virtual uint64_t fingerprint() const = 0;
  // Writes what was made beside the model: vocabularies.
  virtual void write_assets() const {}

  // From now on loss() runs the model with matrices and activations of this type, F32 or BF16.
  // Returns the flat buffer of BF16 parameters, or an empty tensor. Parameters that are frozen by
  // now have no gradient.
  virtual Tensor begin(DType type) = 0;
  // The loss [1, 1] with gradients on the context's tape, each target counting the batch's weight.
  virtual ops::Loss loss(const MicroBatch& batch, nn::Context& context) = 0;

  // The metrics of --valid-metrics, in their order, of the weights as they are; on rank 0.
  virtual std::vector<Metric> validate() = 0;
  // Writes the model with these weights [P]. Throws FileError.
  virtual void save(const std::string& path, const Tensor& weights) const = 0;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_TASK_H_
