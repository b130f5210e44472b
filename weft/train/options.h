// The options of training that every task has.
#ifndef WEFT_TRAIN_OPTIONS_H_
#define WEFT_TRAIN_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/fields.h"
#include "weft/core/period.h"
#include "weft/data/batch_options.h"
#include "weft/train/optim/adam.h"
#include "weft/train/schedule/schedule.h"

namespace weft::train {

// Starting from another model's weights.
struct PretrainedOptions {
  std::string model;
  std::vector<std::string> parts;
  std::string vocabs = "equal";

  template <class V>
  void fields(V& v) {
    v("pretrained-model", model,
      {.help = "model file whose weights training starts from; it has to have all parameters of "
               "the new model in their shape, and no others",
       .reads = true});
    v("pretrained-parts", parts,
      {.help = "names of the parameters to take from --pretrained-model where not all are wanted, "
               "in the patterns of --freeze: 'model.encoder.*'; the others start at random"});
    v("pretrained-vocabs", vocabs,
      {.help = "vocabularies of --pretrained-model, where parameters of tokens are taken: equal to "
               "those of the new model, or others of the same size, with tokens matched by number",
       .choices = "equal|by-number"});
  }

  // Throws OptionError where an option needs another.
  void validate() const;
};

struct LoopOptions {
  std::string model;
  int64_t seed = 1;
  Period after = Period::epochs(20);
  Period save_freq = Period::updates(1000);
  Period disp_freq = Period::updates(100);
  std::string precision = "auto";
  bool gradient_checkpointing = false;
  bool mini_batch_fit = false;
  int64_t workspace = 0;
  int64_t optimizer_delay = 1;
  int64_t average_checkpoints = 1;
  int64_t max_skipped = 20;
  bool overwrite = false;
  PretrainedOptions pretrained;
  std::vector<std::string> freeze;

  template <class V>
  void fields(V& v) {
    group(v, "Training");
    v("model", model,
      {.help =
           "model file to write; the state of training is saved beside it, and the same command "
           "resumes from there",
       .letter = 'm',
       .required = true,
       .writes = true,
       .may_change = true});
    v("seed", seed, {.help = "of initial weights, dropout and order of the data", .min = 0});
    v("after", after,
      {.help = "length of training, in u(pdates), t(arget tokens) or e(pochs)",
       .may_change = true});
    v("save-freq", save_freq,
      {.help = "how often the state of training is saved", .may_change = true});
    v("disp-freq", disp_freq, {.help = "how often progress is logged", .may_change = true});
    v("precision", precision,
      {.help =
           "of activations and of the weights they meet; sums, the optimiser and the model file "
           "are float32 in any case; auto: bfloat16 where the processor multiplies it; where it "
           "does not, bfloat16 too is float32, with a warning",
       .choices = "float32|bfloat16|auto"});
    v("gradient-checkpointing", gradient_checkpointing,
      {.help = "keep only the input of each layer and compute the rest again in backward: less "
               "memory, a third more work (Chen et al. 2016, arXiv 1604.06174)",
       .may_change = true});
    v("mini-batch-fit", mini_batch_fit,
      {.help = "make batches as large as --workspace allows, found by trial before training "
               "starts, in place of --mini-batch-words"});
    v("workspace", workspace,
      {.help = "MB of memory for all tensors of training, for --mini-batch-fit",
       .min = 0,
       .max = 1e7,
       .letter = 'w'});
    v("optimizer-delay", optimizer_delay,
      {.help = "batches whose gradients make one update",
       .min = 1,
       .max = 1e6,
       .alias = "update-freq"});
    v("average-checkpoints", average_checkpoints,
      {.help = "the model is the mean of the weights at this many last saves; each is kept in "
               "memory",
       .min = 1,
       .max = 1000,
       .may_change = true});
    v("max-skipped", max_skipped,
      {.help = "updates in a row that may be skipped for a loss or gradient that is not finite",
       .min = 0,
       .may_change = true});
    v("overwrite", overwrite,
      {.help = "start anew and replace --model, with its state of training, where it exists",
       .may_change = true});
    pretrained.fields(v);
    v("freeze", freeze,
      {.help = "names of parameters that keep their initial values; * is any text, ? any "
               "character, [ab] "
               "one of those: 'model.encoder.*'"});
  }

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

// What a task measures its model by, and what its options are.
struct ValidationTexts {
  std::string_view sets;     // help of --valid-sets
  std::string_view metrics;  // choices of --valid-metrics
};

struct ValidationOptions {
  std::vector<std::string> valid_sets;
  Period valid_freq = Period::updates(1000);
  std::vector<std::string> valid_metrics;
  int64_t early_stopping = 0;

  template <class V>
  void fields(V& v, const ValidationTexts& texts) {
    group(v, "Validation");
    v("valid-sets", valid_sets, {.help = texts.sets, .reads = true, .may_change = true});
    v("valid-freq", valid_freq, {.help = "how often the model is validated", .may_change = true});
    v("valid-metrics", valid_metrics,
      {.help = "what is measured; the first decides which model is kept and when training stops",
       .choices = texts.metrics,
       .may_change = true});
    v("early-stopping", early_stopping,
      {.help = "stop after this many validations in a row without a better first metric; 0: never",
       .min = 0,
       .may_change = true});
  }
};

// A task's options are these and its own.
struct TrainOptions {
  LoopOptions loop;
  data::BatchOptions batching;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  ValidationOptions validation;

  // Throws OptionError for options that contradict each other.
  void validate() const;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIONS_H_
