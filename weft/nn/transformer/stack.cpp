#include "weft/nn/transformer/stack.h"

#include <algorithm>
#include <utility>

#include "weft/core/error.h"

namespace weft::nn {

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
    BlockOptions options = block;
    options.pruned_self = stack.pruning.pruned({name, layer, AttentionRole::kSelf});
    options.pruned_cross = stack.pruning.pruned({name, layer, AttentionRole::kCross});
    if (stack.full_layers.has(layer)) options.attention = block.attention.full();
    options.has_self_norm = layer > 0 || block.norm.first;
    layers.emplace_back(options);
  }
  layer_norm = make_stack_norm(block.norm, block.attention.features);
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
  const SelfLayout self{rows.rows, rows.position, causal};
  for (size_t i = 0; i < order.size(); ++i) {
    x = block(i).forward(std::move(x), self, memory, context.in(scope(i)));
  }
  return normalised(x, context);
}

Tensor Stack::forward(Tensor x, const StackRows& rows, const KvCache& memory,
                      const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  for (size_t i = 0; i < order.size(); ++i) {
    x = block(i).forward(std::move(x), self, memory, context.in(scope(i)));
  }
  return normalised(x, context);
}

Tensor Stack::prefill(Tensor x, const StackRows& rows, KvCache& cache,
                      const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  for (size_t i = 0; i < order.size(); ++i) {
    x = block(i).prefill(std::move(x), self, cache, context.in(scope(i)));
  }
  return normalised(x, context);
}

Tensor Stack::step(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  for (size_t i = 0; i < order.size(); ++i) {
    x = block(i).step(std::move(x), self, cache, context.in(scope(i)));
  }
  return normalised(x, context);
}

Tensor Stack::normalised(const Tensor& x, const Context& context) const {
  return layer_norm.is_present() ? layer_norm(x, context) : x;
}

std::vector<Tensor> Stack::hidden_states(Tensor x, const StackRows& rows, const Memory& memory,
                                         const Context& context) const {
  const SelfLayout self{rows.rows, rows.position, causal};
  std::vector<Tensor> out;
  for (size_t i = 0; i < order.size(); ++i) {
    x = block(i).forward(std::move(x), self, memory, context.in(scope(i)));
    out.push_back(normalised(x, context));
  }
  return out;
}

std::vector<ops::AttentionPattern> Stack::cache_layers() const {
  std::vector<ops::AttentionPattern> out;
  for (const size_t i : order) out.push_back(layers[i].self_attn.config.kind.cache_pattern());
  return out;
}

void Stack::prefill_cross(const Memory& memory, KvCache& cache) const {
  for (size_t i = 0; has_cross_attention() && i < order.size(); ++i) {
    block(i).prefill_cross(memory, cache, i);
  }
}

}  // namespace weft::nn
