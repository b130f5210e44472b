#include "weft/nn/mean.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {

Tensor mean_of(const std::deque<Tensor>& tensors) {
  const Tensor sum = Tensor::zeros(tensors.front().shape(), DType::kF64);
  const auto& backend = backend_of(sum);
  for (const Tensor& x : tensors) {
    backend(kernels::Accumulate{.alpha = 1, .x = x.to(DType::kF64), .y = sum});
  }
  backend(kernels::Scale{.alpha = 1.0 / static_cast<double>(tensors.size()), .x = sum, .y = sum});
  return sum.to(DType::kF32);
}

}  // namespace weft::nn
