// The optimiser step.
#ifndef WEFT_KERNELS_ADAM_H_
#define WEFT_KERNELS_ADAM_H_

#include "weft/core/bf16.h"
#include "weft/kernels/cost.h"

namespace weft::kernels {

// Adam (Kingma and Ba 2015) with decoupled weight decay (AdamW, Loshchilov and Hutter 2019) and an
// exponential moving average of the weights, over flat buffers of n floats:
//   w -= learn_rate m / (sqrt(v v_correction) + epsilon) + weight_decay w
struct Adam {
  float* weights;
  const float* gradient;
  float* m;
  float* v;
  float* ema;               // exponential moving average of the weights, or null
  BF16* rounded = nullptr;  // receives the new weights as BF16, or null
  int64_t n;
  float gradient_scale;  // for gradient clipping
  float learn_rate;      // includes the bias correction of m
  float beta1, beta2, epsilon;
  float v_correction;  // 1 / (1 - beta2^t)
  float weight_decay;  // learning rate times decay
  float ema_decay;     // ema += (1 - ema_decay) (weights - ema)
  static constexpr std::string_view kName = "adam";
  Cost cost() const {
    const double floats = ema ? 9 : 7;  // read and written per weight
    return {0, static_cast<double>(n) * (4 * floats + (rounded ? 2 : 0))};
  }
};

namespace ref {
void run(const Adam&);
}
namespace cpu {
void run(const Adam&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ADAM_H_
