#include "weft/train/optim/sgd.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/sgd.h"

namespace weft::train {

void Sgd::update(const ParameterSlice& slice, const UpdateStep& step) const {
  const double decayed = slice.decays ? step.learn_rate * decay.rate : 0;
  step.backend(kernels::Sgd{.weights = slice.weights,
                            .gradient = slice.gradient,
                            .m = slice.moments[0],
                            .ema = slice.ema,
                            .rounded = slice.rounded,
                            .n = slice.n,
                            .gradient_scale = static_cast<float>(step.gradient_scale),
                            .learn_rate = static_cast<float>(step.learn_rate),
                            .momentum = static_cast<float>(momentum),
                            .nesterov = nesterov,
                            .weight_decay = static_cast<float>(decayed),
                            .ema_decay = static_cast<float>(step.ema_decay)});
}

}  // namespace weft::train
