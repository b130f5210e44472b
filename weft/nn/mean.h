// The mean of the weights of several models (Izmailov et al. 2018, arXiv 1803.05407).
#ifndef WEFT_NN_MEAN_H_
#define WEFT_NN_MEAN_H_

#include <deque>

#include "weft/tensor/tensor.h"

namespace weft::nn {

// Of F32 tensors of one shape, at least one. Summed in double, so that the mean of equal weights is
// exact.
Tensor mean_of(const std::deque<Tensor>& tensors);

}  // namespace weft::nn

#endif  // WEFT_NN_MEAN_H_
