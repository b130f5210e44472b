// The options of training, all of them.
#ifndef WEFT_TRAIN_OPTIONS_H_
#define WEFT_TRAIN_OPTIONS_H_

#include "weft/core/period.h"
#include "weft/data/options.h"
#include "weft/models/seq2seq.h"
#include "weft/train/objective/objective.h"
#include "weft/train/optim/adam.h"
#include "weft/train/pretrained.h"
#include "weft/train/schedule/schedule.h"

namespace weft::train {

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
      {.help = "model file to write; the state of training stands beside it, and the same command "
               "goes on from there",
       .letter = 'm',
       .required = true,
       .writes = true});
    v("seed", seed, {.help = "of initial weights, dropout and order of the data", .min = 0});
    v("after", after, {.help = "length of training, in u(pdates), t(arget tokens) or e(pochs)"});
    v("save-freq", save_freq, {.help = "how often the state of training is saved"});
    v("disp-freq", disp_freq, {.help = "how often progress is logged"});
    v("precision", precision,
      {.help =
           "of activations and of the weights they meet; sums, the optimiser and the model file "
           "are float32 in any case; auto: bfloat16 where the processor multiplies it; where it "
           "does not, bfloat16 too is float32, with a warning",
       .choices = "float32|bfloat16|auto"});
    v("gradient-checkpointing", gradient_checkpointing,
      {.help = "keep of each layer its input alone and compute the rest again in backward: less "
               "memory, a third more work (Chen et al. 2016, arXiv 1604.06174)"});
    v("mini-batch-fit", mini_batch_fit,
      {.help = "take as many target tokens to a batch as --workspace has room for, found by trial "
               "before training starts, in place of --mini-batch-words"});
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
      {.help = "the model is the mean of the weights at so many last saves; each is kept in memory",
       .min = 1,
       .max = 1000});
    v("max-skipped", max_skipped,
      {.help = "updates in a row that may be skipped for a loss or gradient that is not finite",
       .min = 0});
    v("overwrite", overwrite,
      {.help = "start anew and replace --model, with its state of training, where it exists"});
    pretrained.fields(v);
    v("freeze", freeze,
      {.help = "names of parameters that stay as they start; * is any text, ? any character, [ab] "
               "one of those: 'model.encoder.*'"});
  }
};

struct ValidationOptions {
  std::vector<std::string> valid_sets;
  Period valid_freq = Period::updates(1000);
  std::vector<std::string> valid_metrics = {"cross-entropy"};
  int64_t valid_beam_size = 1;
  bool valid_undo_bpe = false;
  int64_t early_stopping = 0;

  template <class V>
  void fields(V& v) {
    group(v, "Validation");
    v("valid-sets", valid_sets,
      {.help = "parallel text to validate on, one file for each side, or one with --tsv",
       .reads = true});
    v("valid-freq", valid_freq, {.help = "how often the model is validated"});
    v("valid-metrics", valid_metrics,
      {.help = "what is measured; the first decides which model is kept and when training stops",
       .choices = "cross-entropy|perplexity|bleu|chrf"});
    v("valid-beam-size", valid_beam_size,
      {.help = "beam of the translations that bleu and chrf are measured on", .min = 1, .max = 64});
    v("valid-undo-bpe", valid_undo_bpe,
      {.help = "join subwords marked with @@ before bleu and chrf"});
    v("early-stopping", early_stopping,
      {.help = "stop after so many validations in a row without a better first metric; 0: never",
       .min = 0});
  }
};

struct TrainOptions {
  LoopOptions loop;
  data::DataOptions data;
  models::Seq2SeqOptions model;
  ObjectiveOptions objective;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  ValidationOptions validation;

  template <class V>
  void fields(V& v) {
    loop.fields(v);
    group(v, "Data");
    data.fields(v);
    model.fields(v);
    objective.fields(v);
    optimizer.fields(v);
    schedule.fields(v);
    validation.fields(v);
  }

  // Throws OptionError for options that contradict each other or are missing.
  void validate() const;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIONS_H_
