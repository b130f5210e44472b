#include "weft/kernels/ref/adam.h"

#include <cmath>

namespace weft::kernels::ref {

void adam(const Adam& a) {
  for (int64_t i = 0; i < a.n; ++i) {
    const float g = a.gradient[i] * a.gradient_scale;
    float& w = a.weights[i];
    a.first[i] = a.beta1 * a.first[i] + (1 - a.beta1) * g;
    a.second[i] = a.beta2 * a.second[i] + (1 - a.beta2) * g * g;
    const float step = a.first[i] / (std::sqrt(a.second[i] * a.second_correction) + a.epsilon);
    w -= a.learn_rate * step + a.weight_decay * w;
    if (a.rounded) a.rounded[i] = BF16(w);
    if (a.average) a.average[i] = a.average_decay * a.average[i] + (1 - a.average_decay) * w;
  }
}

}  // namespace weft::kernels::ref
