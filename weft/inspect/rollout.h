// Attention rollout (Abnar and Zuidema 2020, arXiv 2005.00928): how much each input of a stack
// reaches each position of a layer, if information flows as the heads' mean attention and the
// residual connections say, half and half: R_l = (A_l + I) / 2 R_{l-1}, R_0 = I.
#ifndef WEFT_INSPECT_ROLLOUT_H_
#define WEFT_INSPECT_ROLLOUT_H_

#include <span>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::inspect {

// The mean of F32 matrices of one shape.
Tensor mean_of(std::span<const Tensor> heads);

// R_1, R_2, ... of the mean attentions of the layers, each F32 [T, T]. Throws ShapeError for
// others.
std::vector<Tensor> rollout(std::span<const Tensor> layers);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_ROLLOUT_H_
