#include "weft/nn/transformer/stack.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/autograd/recompute.h"

namespace weft::nn {
namespace {

// layer(inputs, context), saved for backward or recomputed as the context says. A layer whose
// inputs all require no gradient is saved: recomputing finds parameters by the inputs alone.
template <size_t N, class F>
Tensor run_layer(std::array<Tensor, N> inputs, const Context& context, F layer) {
  const bool requires_grad = std::ranges::any_of(
      inputs, [](const Tensor& x) { return x && x.node != autograd::kConstant; });
  if (!context.recompute || context.tape == nullptr || !requires_grad) {
    return layer(std::move(inputs), context);
  }
  Context first = context;
  first.tape = nullptr;
  Tensor y = layer(inputs, first);
  autograd::record_recomputed(*context.tape, y, inputs,
                              [context, layer](const auto& inputs_again, autograd::Tape* tape) {
                                Context again = context;
                                again.tape = tape;
                                again.statistics = nullptr;  // the first run recorded them
                                again.observer = nullptr;    // and was seen
                                return layer(inputs_again, again);
                              });
  return y;
}

}  // namespace

std::vector<size_t> layer_order(const StackOptions& o) {
  std::vector<int64_t> ties = o.tied_layers;
  if (ties.size() == 1) ties.assign(static_cast<size_t>(o.depth), ties.front());
  std::vector<size_t> order;
  if (ties.empty()) {
    for (int64_t i = 0; i < o.depth; ++i) order.push_back(static_cast<size_t>(i));
    return order;
  }
  if (std::ssize(ties) != o.depth) {
    fail<OptionError>("--tied-layers",
                      "expected a number for each of {} layers, or one for all; got {}", o.depth,
                      ties.size());
  }
  size_t count = 0;  // layers that have weights of their own so far
  for (size_t i = 0; i < ties.size(); ++i) {
    const auto source = static_cast<size_t>(ties[i] - 1);
    const bool is_before = ties[i] >= 1 && source < i && ties[source] == ties[i];
    if (!is_before && source != i) {
      fail<OptionError>("--tied-layers",
                        "layer {} cannot have the weights of {}; expected its own "
                        "number, or that of a layer before it with weights of its own",
                        i + 1, ties[i]);
    }
    order.push_back(source == i ? count++ : order[source]);
  }
  return order;
}

Stack::Stack(const StackOptions& stack, BlockOptions block, RngStreams& streams)
    : order(layer_order(stack)),
      drop_path(stack.drop_path),
      name(stack.name),
      causal(stack.causal) {
  block.has_drop_path = drop_path > 0;
  const size_t count = order.empty() ? 0 : 1 + *std::ranges::max_element(order);
  for (size_t i = 0; i < count; ++i) {
    const auto layer = static_cast<int64_t>(i);
    block.pruned_self = stack.pruning.pruned({name, layer, AttentionRole::kSelf});
    block.pruned_cross = stack.pruning.pruned({name, layer, AttentionRole::kCross});
    layers.emplace_back(block);
  }
  if (block.norm.place.is<PreNorm>()) layer_norm = block.make_norm();
  // Each run of a layer has dropouts of its own, those of tied layers too.
  const int64_t dropouts = layers.empty() ? 0 : layers.front().dropouts();
  first_dropout_ = streams.take(std::ssize(order) * dropouts);
}

LayerScope Stack::scope(size_t i) const {
  return {.stack = name,
          .layer = static_cast<int64_t>(i),
          .first_dropout = first_dropout_ + static_cast<uint32_t>(i) * layers.front().dropouts(),
          .drop_path = drop_path_at(i)};
}

Tensor Stack::forward(Tensor x, const StackRows& rows, const Memory& memory,
                      const Context& context) const {
  for (size_t i = 0; i < order.size(); ++i) x = layer(i, std::move(x), rows, memory, context);
  return normalised(x, context);
}

// The states after the layers, block(layer, x, context) being one of them.
template <class F>
Tensor Stack::run_layers(Tensor x, const Context& context, F block) const {
  for (size_t i = 0; i < order.size(); ++i)
    x = block(layers[order[i]], std::move(x), context.in(scope(i)));
  return normalised(x, context);
}

Tensor Stack::forward(Tensor x, const StackRows& rows, const KvCache& memory,
                      const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  return run_layers(std::move(x), context,
                    [&](const Block& block, Tensor y, const Context& inside) {
                      return block.forward(std::move(y), self, memory, inside);
                    });
}

Tensor Stack::prefill(Tensor x, const StackRows& rows, KvCache& cache,
                      const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  return run_layers(std::move(x), context,
                    [&](const Block& block, Tensor y, const Context& inside) {
                      return block.prefill(std::move(y), self, cache, inside);
                    });
}

Tensor Stack::step(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  return run_layers(std::move(x), context,
                    [&](const Block& block, Tensor y, const Context& inside) {
                      return block.step(std::move(y), self, cache, inside);
                    });
}

Tensor Stack::layer(size_t i, Tensor x, const StackRows& rows, const Memory& memory,
                    const Context& context) const {
  return run_layer(
      std::array{std::move(x), memory.states, rows.position.bias.table}, context.in(scope(i)),
      [&block = layers[order[i]], own = rows.rows, position = rows.position,
       memory_rows = memory.rows, rotary = memory.rotary,
       causal = causal](auto inputs, const Context& inside) {
        AttentionPosition biased = position;
        biased.bias.table = inputs[2];
        const Memory read{.states = inputs[1], .rows = memory_rows, .rotary = rotary};
        return block.forward(std::move(inputs[0]), {own, biased, causal}, read, inside);
      });
}

Tensor Stack::normalised(const Tensor& x, const Context& context) const {
  return layer_norm.is_present() ? layer_norm(x, context) : x;
}

std::vector<Tensor> Stack::hidden_states(Tensor x, const StackRows& rows, const Memory& memory,
                                         const Context& context) const {
  std::vector<Tensor> out;
  for (size_t i = 0; i < order.size(); ++i) {
    x = layer(i, std::move(x), rows, memory, context);
    out.push_back(normalised(x, context));
  }
  return out;
}

void Stack::prefill_cross(const Memory& memory, KvCache& cache) const {
  for (size_t i = 0; has_cross_attention() && i < order.size(); ++i) {
    layers[order[i]].prefill_cross(memory, cache, i);
  }
}

}  // namespace weft::nn
