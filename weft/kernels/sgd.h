// The optimiser step of stochastic gradient descent.
#ifndef WEFT_KERNELS_SGD_H_
#define WEFT_KERNELS_SGD_H_

#include "weft/core/bf16.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// Stochastic gradient descent with momentum (Sutskever et al. 2013), decoupled weight decay and an
// exponential moving average of the weights, over flat buffers of n floats:
//   m = momentum m + g
//   w -= learn_rate m + weight_decay w, with Nesterov's momentum learn_rate (g + momentum m)
struct Sgd {
  float* weights;
  const float* gradient;
  float* m;
  float* ema;               // exponential moving average of the weights, or null
  BF16* rounded = nullptr;  // receives the new weights as BF16, or null
  int64_t n;
  float gradient_scale;  // for gradient clipping
  float learn_rate;
  float momentum;
  bool nesterov;
  float weight_decay;  // learning rate times decay
  float ema_decay;     // ema += (1 - ema_decay) (weights - ema)
  static constexpr std::string_view kName = "sgd";
  Cost cost() const {
    const double floats = ema ? 7 : 5;  // read and written per weight
    return {0, static_cast<double>(n) * (4 * floats + (rounded ? 2 : 0))};
  }
};

namespace ref {
void run(const Sgd&);
}
namespace cpu {
void run(const Sgd&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SGD_H_
