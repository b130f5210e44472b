// The Kullback-Leibler divergence between two softmaxes.
#ifndef WEFT_OPS_LOSSES_DIVERGENCE_H_
#define WEFT_OPS_LOSSES_DIVERGENCE_H_

#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

struct DivergenceParams {
  double temperature = 1;  // T, above 0
  double weight = 1;       // of each row
  RowWeights row_weights = {};
};

// loss [1, 1] = weight * sum over rows of row_weights * sum_v t_v (log t_v - log p_v), where
// p = softmax(x / T) and t = softmax(z / T); x and z [N, V]. Both have gradients. The loss's
// `total` is the sum without `weight`. Throws ShapeError where z or the row weights do not fit
// x, and OptionError unless the temperature is above 0.
Loss divergence(const Tensor& x, const Tensor& z, const DivergenceParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_DIVERGENCE_H_
