#include "weft/nn/transformer/layers.h"

#include <array>

#include "weft/autograd/recompute.h"

namespace weft::nn {
namespace {

// One sublayer with its residual, dropout and norm, in the order the place of the norm says.
template <class F>
Tensor connect(const NormPlace& place, const Tensor& x, const Connection& by, Context& context,
               F&& sublayer) {
  return std::visit([&](const auto& kind) { return kind(x, by, context, sublayer); }, place);
}

// layer(inputs, context), kept or recomputed as the context says.
template <size_t N, class F>
Tensor run_layer(const std::array<Tensor, N>& inputs, Context& context, F layer) {
  if (!context.recompute || context.tape == nullptr) return layer(inputs, context);
  const Context before = context;
  context.tape = nullptr;
  Tensor y = layer(inputs, context);
  context.tape = before.tape;
  autograd::record_recomputed(*context.tape, y, inputs,
                              [before, layer](const auto& again, autograd::Tape* tape) {
                                Context inside = before;
                                inside.tape = tape;
                                return layer(again, inside);
                              });
  return y;
}

}  // namespace

EncoderLayer::EncoderLayer(const LayerOptions& o)
    : self_attn(o.attention),
      self_attn_layer_norm(o.attention.features, o.norm_epsilon),
      feed_forward(o.feed_forward),
      final_layer_norm(o.attention.features, o.norm_epsilon),
      norm(o.norm),
      dropout(o.dropout) {}

Tensor EncoderLayer::operator()(const Tensor& input, const SelfRows& of, Context& context) const {
  const ops::RowsPtr& rows = of.rows;
  const auto drop = [&] { return context.dropout(dropout, rows); };
  Tensor x = connect(norm, input, {self_attn_layer_norm, drop()}, context,
                     [&](const Tensor& h) { return self_attn.self(h, of, context); });
  return connect(norm, x, {final_layer_norm, drop()}, context,
                 [&](const Tensor& h) { return feed_forward(h, rows, context); });
}

DecoderLayer::DecoderLayer(const LayerOptions& o)
    : self_attn(o.attention),
      self_attn_layer_norm(o.attention.features, o.norm_epsilon),
      encoder_attn(o.attention),
      encoder_attn_layer_norm(o.attention.features, o.norm_epsilon),
      feed_forward(o.feed_forward),
      final_layer_norm(o.attention.features, o.norm_epsilon),
      norm(o.norm),
      dropout(o.dropout) {}

Tensor DecoderLayer::operator()(const Tensor& input, const SelfRows& of, const Memory& memory,
                                Context& context) const {
  const ops::RowsPtr& rows = of.rows;
  const auto drop = [&] { return context.dropout(dropout, rows); };
  Tensor x = connect(norm, input, {self_attn_layer_norm, drop()}, context,
                     [&](const Tensor& h) { return self_attn.self(h, of, context); });
  x = connect(norm, x, {encoder_attn_layer_norm, drop()}, context, [&](const Tensor& h) {
    return encoder_attn.cross(h, rows, memory.states, memory.rows, context);
  });
  return connect(norm, x, {final_layer_norm, drop()}, context,
                 [&](const Tensor& h) { return feed_forward(h, rows, context); });
}

Tensor Encoder::operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                           Context& context) const {
  for (const EncoderLayer& layer : layers) {
    x = run_layer(std::array{x, position.bias.table}, context,
                  [&layer, rows, position](const auto& inputs, Context& inside) {
                    AttentionPosition own = position;
                    own.bias.table = inputs[1];
                    return layer(inputs[0], {rows, own, false}, inside);
                  });
  }
  return finish(x, context);
}

void Decoder::remember(const Tensor& memory, KvCache& cache) const {
  for (cache.current = 0; cache.current < layers.size(); ++cache.current) {
    layers[cache.current].encoder_attn.remember(memory, cache);
  }
}

Tensor Decoder::operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                           const Memory& memory, Context& context) const {
  for (size_t i = 0; i < layers.size(); ++i) {
    if (context.cache != nullptr) context.cache->current = i;
    x = run_layer(std::array{x, memory.states, position.bias.table}, context,
                  [&layer = layers[i], rows, position, of = memory.rows](const auto& inputs,
                                                                         Context& inside) {
                    AttentionPosition own = position;
                    own.bias.table = inputs[2];
                    return layer(inputs[0], {rows, own, true}, {inputs[1], of}, inside);
                  });
  }
  return finish(x, context);
}

}  // namespace weft::nn
