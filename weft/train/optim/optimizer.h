// The optimiser of a training: a kind, over the flat parameter buffer. Gradient scaling, weight
// decay and the exponential moving average (EMA) of the weights are part of the same pass.
#ifndef WEFT_TRAIN_OPTIM_OPTIMIZER_H_
#define WEFT_TRAIN_OPTIM_OPTIMIZER_H_

#include <string_view>
#include <vector>

#include "weft/options/one_of.h"
#include "weft/tensor/tensor.h"
#include "weft/train/optim/adam.h"
#include "weft/train/optim/sgd.h"
#include "weft/train/parameter_ranges.h"

namespace weft::train {

using OptimizerKinds = options::OneOf<Adam, AdamW, Sgd>;

struct OptimizerOptions {
  OptimizerKinds kind;
  std::vector<std::string> rate_factors;
  double layer_decay = 1;
  double head_rate_factor = 1;
  double clip_norm = 1;
  double exponential_smoothing = 0;
  double average_share = 0;

  template <class V>
  void fields(V& v) {
    options::group(v, "Optimiser");
    options::choice(v, "optimizer", kind,
                    {.help = "how gradients change the weights", .letter = 'o'});
    v("learn-rate-factors", rate_factors,
      {.help = "'PATTERN=X': parameters whose names match, as by --freeze, learn at X times the "
               "learning rate; of several that match, the last one counts"});
    v("layer-decay", layer_decay,
      {.help = "the last layer of a stack learns at x times the learning rate, each layer below at "
               "x times the rate of the one above it, and embeddings at x times that of the first "
               "(Howard and Ruder 2018, arXiv 1801.06146); 1: all at the same rate",
       .min = 0.01,
       .max = 1});
    v("head-rate-factor", head_rate_factor,
      {.help = "output layers and poolings, whose names do not begin with model., learn at x times "
               "the learning rate",
       .min = 0,
       .max = 1e6});
    v("clip-norm", clip_norm,
      {.help = "maximum L2 norm of the gradient; 0: no clipping", .min = 0, .max = 1e9});
    v("exponential-smoothing", exponential_smoothing,
      {.help =
           "exponential moving average of the weights, average += x * (weights - average) at each "
           "update (computed at every 2nd to 8th update if x is below 0.0625); the average is "
           "validated and saved; 0: none; 1e-4 is usual",
       .min = 0,
       .max = 0.999});
    v("average-share", average_share,
      {.help = "moving average over about this share of the updates so far, which grows with the "
               "training: average += (weights - average) / max(1, x * update); validated and saved "
               "as with --exponential-smoothing; 0: none (Karras et al. 2024, arXiv 2312.02696)",
       .min = 0,
       .max = 1,
       .replaces = "exponential-smoothing"});
  }

  bool averages() const { return exponential_smoothing > 0 || average_share > 0; }
  // What the kind and these options ask of the parameters.
  RangeOptions ranges() const;
  // How far the average moves towards the weights after an update; updates count from 1. An average
  // over h updates moves at every second update if h >= 16, at every fourth if h >= 32, and at
  // every eighth if h >= 64, as far as single steps would have moved it; else this is 0. It saves
  // memory traffic.
  double smoothing(int64_t update) const;

  // Throws OptionError for options of the kind that are out of range, and two moving averages.
  void validate() const;

 private:
  // As if the average moved at each update.
  double smoothing_of_one(int64_t update) const;
  bool moves_average(int64_t update) const;
};

class Optimizer {
 public:
  // Initialises the moments of the `trained` parameters to zero and the EMA to `parameters` [P].
  // Each step writes the parameters rounded to BF16 to `rounded` [P], unless it is empty. The
  // ranges are those of parameter_ranges(); none stands for all parameters.
  Optimizer(const OptimizerOptions& options, const Tensor& parameters,
            std::vector<TrainedRange> trained = {}, const Tensor& rounded = {});

  // One update with the gradient [P] times `gradient_scale`.
  void step(const Tensor& gradient, double gradient_scale, double learn_rate);

  // The weights to validate and save: the EMA, or the parameters if there is none.
  const Tensor& averaged_weights() const { return ema_ ? ema_ : parameters_; }
  const Tensor& ema() const { return ema_; }  // [P], or empty

  // The moments of the trained parameters [T], by the names that they have in checkpoints.
  struct Moment {
    std::string_view name;
    Tensor values;
  };
  std::vector<Moment> moments() const;
  // Sets a moment to values [T], or to those of the trained parameters among values [P]. Throws
  // ShapeError for another size.
  void restore(const Moment& moment, const Tensor& values) const;

  int64_t steps = 0;

 private:
  OptimizerOptions options_;
  std::vector<TrainedRange> trained_;
  Tensor parameters_, rounded_, ema_;
  std::vector<Tensor> moments_;  // [T] each
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_OPTIMIZER_H_
