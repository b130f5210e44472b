// The training options shared by all tasks.
#ifndef WEFT_TRAIN_OPTIONS_H_
#define WEFT_TRAIN_OPTIONS_H_

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/batch_options.h"
#include "weft/options/fields.h"
#include "weft/train/optim/optimizer.h"
#include "weft/train/progress.h"
#include "weft/train/records/options.h"
#include "weft/train/schedule/schedule.h"

namespace weft::train {

struct LoopOptions {
  std::string model;
  int64_t seed = 1;
  options::Period after = options::Period::epochs(20);
  options::Period save_freq = options::Period::updates(1000);
  options::Period disp_freq = options::Period::updates(100);
  std::string precision = "auto";
  bool gradient_checkpointing = false;
  bool mini_batch_fit = false;
  int64_t workspace = 0;
  int64_t optimizer_delay = 1;
  int64_t average_checkpoints = 1;
  int64_t max_skipped = 20;
  bool overwrite = false;
  std::vector<std::string> freeze;
  std::optional<int64_t> freeze_layers = {};
  RecordOptions records;

  // With the task's options of where initial weights come from.
  template <class V, class InitialWeights>
  void fields(V& v, InitialWeights& initial_weights) {
    options::group(v, "Training");
    v("model", model,
      {.help = "model file to write; the training state is saved next to it, and the same command "
               "resumes from there",
       .letter = 'm',
       .required = true,
       .writes = true,
       .may_change = true});
    v("seed", seed, {.help = "random seed of initial weights, dropout and data order", .min = 0});
    v("after", after,
      {.help = "training length in u(pdates), t(arget tokens) or e(pochs)", .may_change = true});
    v("save-freq", save_freq,
      {.help = "how often the training state is saved", .may_change = true});
    v("disp-freq", disp_freq, {.help = "how often progress is logged", .may_change = true});
    v("precision", precision,
      {.help =
           "type of activations and matrix products; sums, the optimiser and the model file are "
           "always float32; auto: bfloat16 if the processor has instructions for it; without "
           "them, bfloat16 falls back to float32 with a warning",
       .choices = "float32|bfloat16|auto"});
    v("gradient-checkpointing", gradient_checkpointing,
      {.help = "store only the input of each layer and recompute the rest in backward: less "
               "memory, a third more work (Chen et al. 2016, arXiv 1604.06174)",
       .may_change = true});
    v("mini-batch-fit", mini_batch_fit,
      {.help = "make batches as large as --workspace allows, determined by trial before training "
               "starts; replaces --mini-batch-words"});
    v("workspace", workspace,
      {.help = "memory in MB for all tensors during training, for --mini-batch-fit",
       .min = 0,
       .max = 1e7,
       .letter = 'w'});
    v("optimizer-delay", optimizer_delay,
      {.help = "batches whose gradients are accumulated per update",
       .min = 1,
       .max = 1e6,
       .alias = "update-freq"});
    v("average-checkpoints", average_checkpoints,
      {.help = "the saved model is the mean of the weights at the last n saves, which are kept in "
               "memory",
       .min = 1,
       .max = 1000,
       .may_change = true});
    v("max-skipped", max_skipped,
      {.help =
           "maximum number of consecutive updates skipped because of a non-finite loss or gradient",
       .min = 0,
       .may_change = true});
    v("overwrite", overwrite,
      {.help = "start over and replace an existing --model and its training state",
       .may_change = true});
    initial_weights.fields(v);
    v("freeze", freeze,
      {.help = "parameters that keep their initial values, as shell patterns of their names, such "
               "as 'model.encoder.*'"});
    v("freeze-layers", freeze_layers,
      {.help = "the first n layers of the encoder, or of a model's first stack, and the embeddings "
               "below them keep their initial values; 0: the embeddings alone; auto: none of them",
       .min = 0,
       .max = 1000});
    records.fields(v);
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

// The task-specific texts of the validation options.
struct ValidationTexts {
  std::string_view sets;     // help of --valid-sets
  std::string_view metrics;  // choices of --valid-metrics
};

struct ValidationOptions {
  std::vector<std::string> valid_sets;
  options::Period valid_freq = options::Period::updates(1000);
  options::Period valid_first = options::Period::epochs(1);
  std::vector<std::string> valid_metrics;
  int64_t early_stopping = 0;

  template <class V>
  void fields(V& v, const ValidationTexts& texts) {
    options::group(v, "Validation");
    v("valid-sets", valid_sets, {.help = texts.sets, .reads = true, .may_change = true});
    v("valid-freq", valid_freq,
      {.help = "how often the model is validated; 0: at the end only", .may_change = true});
    v("valid-first", valid_first,
      {.help =
           "where --valid-freq is longer, the model is first validated after this; 0: not before "
           "--valid-freq",
       .may_change = true});
    v("valid-metrics", valid_metrics,
      {.help = "metrics; the first selects the best model and decides on early stopping",
       .choices = texts.metrics,
       .may_change = true});
    v("early-stopping", early_stopping,
      {.help = "stop after n consecutive validations without an improvement of the first metric; "
               "0: never",
       .min = 0,
       .may_change = true});
  }

  // Whether a validation is due between these.
  bool is_due(const Progress& before, const Progress& after) const;
};

// An option and its default in earlier versions or, for an option that earlier versions lacked, the
// value that gives their behaviour.
struct EarlierDefault {
  std::string_view option, value;
};

// The options of every task; a task adds its specific options.
struct TrainOptions {
  static constexpr EarlierDefault kSharedEarlierDefaults[] = {{"valid-first", "0"},
                                                              {"weight-decay-on", "all"}};
  // Of the options that a task adds.
  static constexpr std::array<EarlierDefault, 0> kEarlierDefaults = {};

  LoopOptions loop;
  data::BatchOptions batching;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  ValidationOptions validation;

  // Whether models are saved with averages of weights.
  bool averages() const { return loop.average_checkpoints > 1 || optimizer.averages(); }
  // Throws OptionError for options that contradict each other; `defaults` are those of the task.
  void validate(const TrainOptions& defaults) const;
};

// The earlier defaults of the shared options, then those of the options that a task adds.
template <class Options>
std::vector<EarlierDefault> earlier_defaults() {
  std::vector<EarlierDefault> out(std::begin(TrainOptions::kSharedEarlierDefaults),
                                  std::end(TrainOptions::kSharedEarlierDefaults));
  out.insert(out.end(), std::begin(Options::kEarlierDefaults), std::end(Options::kEarlierDefaults));
  return out;
}

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIONS_H_
