// Adam over the flat parameter buffer. Gradient scaling, decoupled weight decay and the exponential
// moving average (EMA) of the weights are part of the same pass.
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
  double average_share = 0;

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
      {.help = "decoupled weight decay (adamw only)", .min = 0, .max = 1});
    v("clip-norm", clip_norm,
      {.help = "maximum L2 norm of the gradient; 0: no clipping", .min = 0, .max = 1e9});
    v("exponential-smoothing", exponential_smoothing,
      {.help =
           "exponential moving average of the weights, average += x * (weights - average) at each "
           "update; the average is validated and saved; 0: none; 1e-4 is usual",
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
  // How far the average moves towards the weights at an update; updates count from 1.
  double smoothing(int64_t update) const;

  // Throws OptionError for a wrong number of optimizer-params, a beta of 1, an epsilon of 0, weight
  // decay with adam, or two moving averages.
  void validate() const;
};

class Adam {
 public:
  // Initialises the moments of `parameters` [P] to zero and the EMA to the parameters. Each step
  // writes the parameters rounded to BF16 to `rounded` [P], unless it is empty.
  Adam(const OptimizerOptions& options, const Tensor& parameters, const Tensor& rounded = {});

  // Restricts further steps to these ranges of the buffer.
  void restrict_to(std::vector<Range> ranges) { ranges_ = std::move(ranges); }

  // One update with the gradient [P] times `gradient_scale`.
  void step(const Tensor& gradient, double gradient_scale, double learn_rate);

  // The weights to validate and save: the EMA, or the parameters if there is none.
  const Tensor& averaged_weights() const { return ema_ ? ema_ : parameters_; }

  // The state for checkpoints: first and second moment, and the EMA, which may be empty.
  Tensor& m() { return m_; }
  Tensor& v() { return v_; }
  Tensor& ema() { return ema_; }
  int64_t steps = 0;

 private:
  OptimizerOptions options_;
  std::vector<Range> ranges_;
  Tensor parameters_, rounded_, m_, v_, ema_;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_ADAM_H_
