#include "weft/nn/feed_forward.h"

#include "weft/ops/dropout.h"

namespace weft::nn {

FeedForward::FeedForward(const FeedForwardOptions& wanted, int64_t features, RngStreams& streams)
    : options(wanted),
      dropout{wanted.dropout, streams.take()},
      fc1_weight({wanted.inner, features}, Init::kGlorot),
      fc1_bias(wanted.bias ? Parameter({1, wanted.inner}, Init::kZeros) : Parameter()),
      fc2(wanted.inner, features, wanted.bias) {
  if (wanted.gated) {
    gate_weight = fc1_weight;
    gate_bias = fc1_bias;
  }
}

Tensor FeedForward::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                               const Context& context) const {
  const ops::DropoutParams drop = context.dropout(dropout, rows);
  const LinearPass pass(context, rows);
  Tensor h;
  if (options.gated) {
    h = linear(x, {&gate_weight, &fc1_weight}, {&gate_bias, &fc1_bias}, ops::Activation::kNone,
               pass);  // [N, 2*F]
    h = ops::dropout(ops::gate(options.function(), h, context.tape), drop, context.tape);  // [N, F]
  } else {
    h = linear(x, {&fc1_weight}, {&fc1_bias}, {options.function(), drop}, pass);  // [N, F]
  }
  return fc2(h, pass);  // [N, D]
}

}  // namespace weft::nn
