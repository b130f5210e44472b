#include "weft/kernels/sgd.h"

namespace weft::kernels::ref {

void run(const Sgd& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    const float g = a.gradient[i] * a.gradient_scale;
    float& w = a.weights[i];
    a.m[i] = a.momentum * a.m[i] + g;
    const float step = a.nesterov ? g + a.momentum * a.m[i] : a.m[i];
    w -= a.learn_rate * step + a.weight_decay * w;
    if (a.rounded) a.rounded[i] = BF16(w);
    if (a.ema) a.ema[i] += (1 - a.ema_decay) * (w - a.ema[i]);
  }
}

}  // namespace weft::kernels::ref
