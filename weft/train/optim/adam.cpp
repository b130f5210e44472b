#include "weft/train/optim/adam.h"

#include <fmt/format.h>

#include <cmath>

#include "weft/core/error.h"
#include "weft/kernels/adam.h"
#include "weft/kernels/backend.h"

namespace weft::train {
namespace {

constexpr double kMinEpsilon = 1e-30;  // near the smallest normal float32

kernels::Adam call_of(const Adam& adam, const ParameterSlice& slice, const UpdateStep& step) {
  const double beta1 = adam.params[0], beta2 = adam.params[1];
  const auto t = static_cast<double>(step.number);
  return {.weights = slice.weights,
          .gradient = slice.gradient,
          .m = slice.moments[0],
          .v = slice.moments[1],
          .ema = slice.ema,
          .rounded = slice.rounded,
          .n = slice.n,
          .gradient_scale = static_cast<float>(step.gradient_scale),
          .learn_rate = static_cast<float>(step.learn_rate / (1 - std::pow(beta1, t))),
          .beta1 = static_cast<float>(beta1),
          .beta2 = static_cast<float>(beta2),
          .epsilon = static_cast<float>(adam.params[2]),
          .v_correction = static_cast<float>(1 / (1 - std::pow(beta2, t))),
          .weight_decay = 0,
          .ema_decay = static_cast<float>(step.ema_decay)};
}

}  // namespace

void Adam::validate() const {
  if (params.size() == 3 && params[0] < 1 && params[1] < 1 && params[2] >= kMinEpsilon) return;
  fail<OptionError>("--optimizer-params",
                    "expected beta1 and beta2 below 1, and epsilon of at least {}; got {}",
                    kMinEpsilon, fmt::format("{}", fmt::join(params, " ")));
}

void Adam::update(const ParameterSlice& slice, const UpdateStep& step) const {
  step.backend(call_of(*this, slice, step));
}

void AdamW::update(const ParameterSlice& slice, const UpdateStep& step) const {
  kernels::Adam call = call_of(*this, slice, step);
  if (slice.decays) call.weight_decay = static_cast<float>(step.learn_rate * decay.rate);
  step.backend(call);
}

}  // namespace weft::train
