#include "weft/nn/linear.h"

#include <array>

#include "weft/nn/low_rank.h"
#include "weft/ops/dropout.h"
#include "weft/ops/packed_linear.h"

namespace weft::nn {
namespace {

Tensor without_updates(const Tensor& x, ContiguousParameters weights, const Tensor& bias,
                       const ops::LinearParams& params, autograd::Tape* tape) {
  if (!(*weights.begin())->packed) {
    return ops::linear(x, {fused_weight(weights), bias}, params, tape);
  }
  std::array<kernels::Packed, 4> parts;
  size_t count = 0;
  for (const Parameter* w : weights) parts.at(count++) = w->packed.view();
  return ops::packed_linear(x, std::span(parts).first(count), bias, params.activation);
}

}  // namespace

Tensor linear(const Tensor& x, ContiguousParameters weights, ContiguousParameters biases,
              const ops::LinearParams& params, const LinearPass& pass) {
  const Tensor bias = (*biases.begin())->is_present() ? fused_bias(biases) : Tensor();
  if (!has_low_rank(weights)) return without_updates(x, weights, bias, params, pass.tape);
  ops::DropoutParams dropout;
  if (pass.context != nullptr) dropout = low_rank_dropout(weights, *pass.rows, *pass.context);
  Tensor y = without_updates(x, weights, bias, ops::Activation::kNone, pass.tape);
  y = with_low_rank(y, x, weights, dropout, pass.tape);
  if (params.activation != ops::Activation::kNone) {
    y = ops::activate(params.activation, y, pass.tape);
  }
  return ops::dropout(y, params.dropout, pass.tape);
}

}  // namespace weft::nn
