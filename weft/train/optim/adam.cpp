#include "weft/train/optim/adam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "weft/kernels/adam.h"
#include "weft/kernels/backend.h"

namespace weft::train {
namespace {

constexpr double kMinEpsilon = 1e-30;  // near the smallest normal float32

}  // namespace

void OptimizerOptions::validate() const {
  const std::vector<double>& p = optimizer_params;
  if (p.size() != 3 || p[0] >= 1 || p[1] >= 1 || p[2] < kMinEpsilon) {
    fail<OptionError>("--optimizer-params",
                      "expected beta1 and beta2 below 1, and epsilon of at least {}; got {}",
                      kMinEpsilon, fmt::format("{}", fmt::join(p, " ")));
  }
  if (optimizer == "adam" && weight_decay != OptimizerOptions().weight_decay) {
    fail<OptionError>("--weight-decay", "needs --optimizer adamw, got {}", optimizer);
  }
  if (average_share > 0 && exponential_smoothing > 0) {
    fail<OptionError>("--average-share",
                      "contradicts --exponential-smoothing; expected one of them");
  }
}

double OptimizerOptions::smoothing(int64_t update) const {
  if (average_share == 0) return exponential_smoothing;
  return 1 / std::max(1.0, average_share * static_cast<double>(update));
}

Adam::Adam(const OptimizerOptions& options, const Tensor& parameters, const Tensor& rounded)
    : options_(options),
      ranges_{{0, parameters.size()}},
      parameters_(parameters),
      rounded_(rounded),
      m_(Tensor::zeros(parameters.shape())),
      v_(Tensor::zeros(parameters.shape())) {
  options_.validate();
  if (options.averages()) ema_ = parameters.clone();
}

void Adam::step(const Tensor& gradient, double gradient_scale, double learn_rate) {
  ++steps;
  const double beta1 = options_.optimizer_params[0], beta2 = options_.optimizer_params[1];
  const auto t = static_cast<double>(steps);
  kernels::Adam call{};
  call.gradient_scale = static_cast<float>(gradient_scale);
  call.learn_rate = static_cast<float>(learn_rate / (1 - std::pow(beta1, t)));
  call.beta1 = static_cast<float>(beta1);
  call.beta2 = static_cast<float>(beta2);
  call.epsilon = static_cast<float>(options_.optimizer_params[2]);
  call.v_correction = static_cast<float>(1 / (1 - std::pow(beta2, t)));
  if (options_.optimizer == "adamw") {
    call.weight_decay = static_cast<float>(learn_rate * options_.weight_decay);
  }
  call.ema_decay = static_cast<float>(1 - options_.smoothing(steps));
  for (const Range& range : ranges_) {
    const int64_t begin = range.begin;
    call.weights = parameters_.data<float>() + begin;
    call.gradient = gradient.data<float>() + begin;
    call.m = m_.data<float>() + begin;
    call.v = v_.data<float>() + begin;
    call.ema = ema_ ? ema_.data<float>() + begin : nullptr;
    call.rounded = rounded_ ? rounded_.data<BF16>() + begin : nullptr;
    call.n = range.size();
    backend_of(parameters_)(call);
  }
}

}  // namespace weft::train
