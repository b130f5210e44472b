// Adam over the flat parameter buffer, with clipping, decoupled weight decay and the moving average
// of the weights, all in one pass.
#ifndef WEFT_TRAIN_OPTIM_ADAM_H_
#define WEFT_TRAIN_OPTIM_ADAM_H_

#include "weft/core/fields.h"
#include "weft/tensor/tensor.h"
#include "weft/train/parameter_ranges.h"

namespace weft::train {

struct OptimizerOptions {
  std::string optimizer = "adam";
  std::vector<double> optimizer_params = {0.9, 0.98, 1e-9};
  double weight_decay = 0.01;
  double clip_norm = 1;
  double exponential_smoothing = 0;

  template <class V>
  void fields(V& v) {
    group(v, "Optimiser");
    v("optimizer", optimizer,
      {.help = "adam (Kingma and Ba 2015) or adamw (Loshchilov and Hutter 2019)",
       .choices = "adam|adamw",
       .letter = 'o'});
    v("optimizer-params", optimizer_params,
      {.help = "beta1, beta2 and epsilon", .min = 0, .max = 1});
    v("weight-decay", weight_decay,
      {.help = "decoupled weight decay, with adamw only", .min = 0, .max = 1});
    v("clip-norm", clip_norm,
      {.help = "longest gradient of an update, as L2 norm; 0: any", .min = 0, .max = 1e9});
    v("exponential-smoothing", exponential_smoothing,
      {.help = "moving average of the weights: average += x * (weights - average) at each update, "
               "the average is validated and saved; 0: none; 1e-4 is usual",
       .min = 0,
       .max = 0.999});
  }

  // Throws OptionError for another number of optimizer-params, a beta of 1, an epsilon of 0 or
  // decay with adam.
  void validate() const;
};

class Adam {
 public:
  // Moments of zero for `parameters` [P]; the moving average starts as the weights. `rounded` [P],
  // BF16 or empty, receives the parameters at each step.
  Adam(const OptimizerOptions& options, const Tensor& parameters, const Tensor& rounded = {});

  // From now on steps change these places [begin, end) of the buffer alone.
  void restrict_to(std::vector<Range> ranges) { ranges_ = std::move(ranges); }

  // One update with the gradient [P], scaled by `gradient_scale`, at a learning rate.
  void step(const Tensor& gradient, double gradient_scale, double learn_rate);

  // What is validated and saved: the moving average, or the weights where there is none.
  const Tensor& smoothed() const { return average_ ? average_ : parameters_; }

  // The state, for checkpoints: moments and the moving average, empty where there is none.
  Tensor& first() { return first_; }
  Tensor& second() { return second_; }
  Tensor& average() { return average_; }
  int64_t steps = 0;

 private:
  OptimizerOptions options_;
  std::vector<Range> ranges_;
  Tensor parameters_, rounded_, first_, second_, average_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_ADAM_H_
