#include "weft/kernels/adam.h"

#include <cmath>

namespace weft::kernels::ref {

void run(const Adam& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    const float g = a.gradient[i] * a.gradient_scale;
    float& w = a.weights[i];
    a.m[i] = a.beta1 * a.m[i] + (1 - a.beta1) * g;
    a.v[i] = a.beta2 * a.v[i] + (1 - a.beta2) * g * g;
    const float step = a.m[i] / (std::sqrt(a.v[i] * a.v_correction) + a.epsilon);
    w -= a.learn_rate * step + a.weight_decay * w;
    if (a.rounded) a.rounded[i] = BF16(w);
    if (a.ema) a.ema[i] += (1 - a.ema_decay) * (w - a.ema[i]);
  }
}

}  // namespace weft::kernels::ref
