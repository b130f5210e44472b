#include "weft/nn/linear.h"

#include <array>

#include "weft/ops/packed_linear.h"

namespace weft::nn {

Tensor linear(const Tensor& x, ContiguousParameters weights, ContiguousParameters biases,
              const ops::LinearParams& params, autograd::Tape* tape) {
  const Tensor bias = (*biases.begin())->is_present() ? fused_bias(biases) : Tensor();
  if (!(*weights.begin())->packed) {
    return ops::linear(x, {fused_weight(weights), bias}, params, tape);
  }
  std::array<kernels::Packed, 4> parts;
  size_t count = 0;
  for (const Parameter* w : weights) parts.at(count++) = w->packed.view();
  return ops::packed_linear(x, std::span(parts).first(count), bias, params.activation);
}

}  // namespace weft::nn
