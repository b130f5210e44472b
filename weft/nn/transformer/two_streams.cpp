#include "weft/nn/transformer/two_streams.h"

#include "weft/ops/scale.h"

namespace weft::nn {
namespace {

// The states as the other stack's memory. As a tensor of its own, so that their two gradients are
// whole before they are added: by the same sum whether layers are saved or recomputed.
Memory memory_of(const Memory& states, const Context& context) {
  Memory out = states;
  if (context.tape != nullptr) out.states = ops::scale(states.states, 1, context.tape);
  return out;
}

}  // namespace

std::pair<Tensor, Tensor> TwoStreams::operator()(const Memory& first_input,
                                                 const Memory& second_input,
                                                 const Context& context) const {
  const AttentionPosition first_position{.rotary = first_input.rotary, .bias = {}};
  const AttentionPosition second_position{.rotary = second_input.rotary, .bias = {}};
  Memory one = first_input, other = second_input;
  for (size_t i = 0; i < first.order.size(); ++i) {
    const Memory of_first = memory_of(one, context), of_second = memory_of(other, context);
    one.states = first.block(i).forward(one.states, {one.rows, first_position}, of_second,
                                        context.in(first.scope(i)));
    other.states = second.block(i).forward(other.states, {other.rows, second_position}, of_first,
                                           context.in(second.scope(i)));
  }
  return {first.normalised(one.states, context), second.normalised(other.states, context)};
}

}  // namespace weft::nn
