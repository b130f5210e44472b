#include "weft/nn/transformer/layers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "weft/autograd/recompute.h"

namespace weft::nn {
namespace {

void scale_initial(double gain, MultiHeadAttention& attention) {
  attention.v_weight.gain = attention.out_proj.weight.gain = gain;
}

void scale_initial(double gain, FeedForward& network) {
  network.gate_weight.gain = network.fc1_weight.gain = network.fc2.weight.gain = gain;
}

Residual residual_of(const LayerOptions& o) { return {o.norm.place, o.dropout, o.residual_scale}; }

// layer(inputs, context), kept or recomputed as the context says. One that depends on nothing that
// is followed is kept: recomputing tells of parameters by the inputs alone.
template <size_t N, class F>
Tensor run_layer(const std::array<Tensor, N>& inputs, Context& context, F layer) {
  const bool is_followed = std::ranges::any_of(
      inputs, [](const Tensor& x) { return x && x.node != autograd::kConstant; });
  if (!context.recompute || context.tape == nullptr || !is_followed) return layer(inputs, context);
  const Context before = context;
  context.tape = nullptr;
  Tensor y = layer(inputs, context);
  context.tape = before.tape;
  autograd::record_recomputed(*context.tape, y, inputs,
                              [before, layer](const auto& again, autograd::Tape* tape) {
                                Context inside = before;
                                inside.tape = tape;
                                inside.statistics = nullptr;  // the first time told of them
                                return layer(again, inside);
                              });
  return y;
}

}  // namespace

EncoderLayer::EncoderLayer(const LayerOptions& o)
    : self_attn(o.attention),
      self_attn_layer_norm(o.make_norm()),
      feed_forward(o.feed_forward, o.attention.features),
      final_layer_norm(o.make_norm()),
      residual(residual_of(o)) {
  scale_initial(o.init_gain, self_attn);
  scale_initial(o.init_gain, feed_forward);
}

Tensor EncoderLayer::operator()(const Tensor& input, const SelfRows& of, Context& context) const {
  const ops::RowsPtr& rows = of.rows;
  const Tensor x = residual(input, self_attn_layer_norm, rows, context,
                            [&](const Tensor& h) { return self_attn.self(h, of, context); });
  return residual(x, final_layer_norm, rows, context,
                  [&](const Tensor& h) { return feed_forward(h, rows, context); });
}

DecoderLayer::DecoderLayer(const LayerOptions& o)
    : self_attn(o.attention),
      self_attn_layer_norm(o.make_norm()),
      encoder_attn(o.attention.cross()),
      encoder_attn_layer_norm(o.make_norm()),
      feed_forward(o.feed_forward, o.attention.features),
      final_layer_norm(o.make_norm()),
      residual(residual_of(o)) {
  scale_initial(o.init_gain, self_attn);
  scale_initial(o.init_gain, encoder_attn);
  scale_initial(o.init_gain, feed_forward);
}

Tensor DecoderLayer::operator()(const Tensor& input, const SelfRows& of, const Memory& memory,
                                Context& context) const {
  const ops::RowsPtr& rows = of.rows;
  ops::AttentionTrace* trace = std::exchange(context.trace, nullptr);
  Tensor x = residual(input, self_attn_layer_norm, rows, context,
                      [&](const Tensor& h) { return self_attn.self(h, of, context); });
  context.trace = trace;
  x = residual(x, encoder_attn_layer_norm, rows, context, [&](const Tensor& h) {
    return encoder_attn.cross(h, {rows, memory.states, memory.rows}, context);
  });
  return residual(x, final_layer_norm, rows, context,
                  [&](const Tensor& h) { return feed_forward(h, rows, context); });
}

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
  size_t own = 0;  // layers that have weights of their own so far
  for (size_t i = 0; i < ties.size(); ++i) {
    const auto of = static_cast<size_t>(ties[i] - 1);
    const bool is_before = ties[i] >= 1 && of < i && ties[of] == ties[i];
    if (!is_before && of != i) {
      fail<OptionError>("--tied-layers",
                        "layer {} cannot have the weights of {}; expected its own "
                        "number, or that of a layer before it with weights of its own",
                        i + 1, ties[i]);
    }
    order.push_back(of == i ? own++ : order[of]);
  }
  return order;
}

Memory Encoder::operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                           Context& context) const {
  for (size_t i = 0; i < order.size(); ++i) {
    context.drop_path = drop_path_at(i);
    x = run_layer(std::array{x, position.bias.table}, context,
                  [&layer = layers[order[i]], rows, position](const auto& inputs, Context& inside) {
                    AttentionPosition own = position;
                    own.bias.table = inputs[1];
                    return layer(inputs[0], {rows, own, false}, inside);
                  });
  }
  return {finish(x, context), rows};
}

void Decoder::remember(const Memory& memory, KvCache& cache) const {
  for (cache.current = 0; cache.current < order.size(); ++cache.current) {
    layers[order[cache.current]].encoder_attn.remember(memory.states, cache);
  }
}

Tensor Decoder::operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                           const Memory& memory, Context& context) const {
  for (size_t i = 0; i < order.size(); ++i) {
    if (context.cache != nullptr) context.cache->current = i;
    context.drop_path = drop_path_at(i);
    x = run_layer(std::array{x, memory.states, position.bias.table}, context,
                  [&layer = layers[order[i]], rows, position, of = memory.rows, causal = causal](
                      const auto& inputs, Context& inside) {
                    AttentionPosition own = position;
                    own.bias.table = inputs[2];
                    return layer(inputs[0], {rows, own, causal}, {inputs[1], of}, inside);
                  });
  }
  return finish(x, context);
}

}  // namespace weft::nn
