#include "weft/nn/transformer/two_streams.h"

namespace weft::nn {

std::pair<Tensor, Tensor> TwoStreams::operator()(const Memory& first_input,
                                                 const Memory& second_input,
                                                 const Context& context) const {
  const AttentionPosition first_position{.rotary = first_input.rotary, .bias = {}};
  const AttentionPosition second_position{.rotary = second_input.rotary, .bias = {}};
  Memory one = first_input, other = second_input;
  for (size_t i = 0; i < first.order.size(); ++i) {
    const Tensor next = first.layer(i, one.states, {one.rows, first_position}, other, context);
    other.states = second.layer(i, other.states, {other.rows, second_position}, one, context);
    one.states = next;
  }
  return {first.normalised(one.states, context), second.normalised(other.states, context)};
}

}  // namespace weft::nn
