// What every optimiser gets: one update of parameters that are treated alike.
#ifndef WEFT_TRAIN_OPTIM_UPDATE_H_
#define WEFT_TRAIN_OPTIM_UPDATE_H_

#include <array>
#include <cstdint>

#include "weft/core/bf16.h"

namespace weft::kernels {
class Backend;
}

namespace weft::train {

// Buffers of an optimiser for each parameter, at most.
inline constexpr size_t kMaxMoments = 2;

// n parameters that lie side by side, and what belongs to each.
struct ParameterSlice {
  float* weights;
  const float* gradient;
  std::array<float*, kMaxMoments> moments;
  float* ema;     // exponential moving average of the weights, or null if it does not move
  BF16* rounded;  // receives the new weights as BF16, or null
  int64_t n;
  bool decays;  // whether weight decay applies
};

struct UpdateStep {
  int64_t number;         // of this update, from 1
  double gradient_scale;  // for gradient clipping
  double learn_rate;
  double ema_decay;  // average += (1 - ema_decay) (weights - average)
  const kernels::Backend& backend;
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_UPDATE_H_
