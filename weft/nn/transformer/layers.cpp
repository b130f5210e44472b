#include "weft/nn/transformer/layers.h"

namespace weft::nn {
namespace {

// One sublayer with its residual, dropout and norm, in the order the place of the norm says.
template <class F>
Tensor connect(const NormPlace& place, const Tensor& x, const Connection& by, Context& context,
               F&& sublayer) {
  return std::visit([&](const auto& kind) { return kind(x, by, context, sublayer); }, place);
}

}  // namespace

EncoderLayer::EncoderLayer(const LayerOptions& o)
    : self_attn(o.attention),
      self_attn_layer_norm(o.attention.features, o.norm_epsilon),
      feed_forward(o.feed_forward),
      final_layer_norm(o.attention.features, o.norm_epsilon),
      norm(o.norm),
      dropout(o.dropout) {}

Tensor EncoderLayer::operator()(const Tensor& input, const ops::RowsPtr& rows,
                                Context& context) const {
  const auto drop = [&] { return context.dropout(dropout, rows); };
  Tensor x = connect(norm, input, {self_attn_layer_norm, drop()}, context,
                     [&](const Tensor& h) { return self_attn.self(h, rows, false, context); });
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

Tensor DecoderLayer::operator()(const Tensor& input, const ops::RowsPtr& rows, const Memory& memory,
                                Context& context) const {
  const auto drop = [&] { return context.dropout(dropout, rows); };
  Tensor x = connect(norm, input, {self_attn_layer_norm, drop()}, context,
                     [&](const Tensor& h) { return self_attn.self(h, rows, true, context); });
  x = connect(norm, x, {encoder_attn_layer_norm, drop()}, context, [&](const Tensor& h) {
    return encoder_attn.cross(h, rows, memory.states, memory.rows, context);
  });
  return connect(norm, x, {final_layer_norm, drop()}, context,
                 [&](const Tensor& h) { return feed_forward(h, rows, context); });
}

Tensor Encoder::operator()(Tensor x, const ops::RowsPtr& rows, Context& context) const {
  for (const EncoderLayer& layer : layers) x = layer(x, rows, context);
  return finish(x, context);
}

Tensor Decoder::operator()(Tensor x, const ops::RowsPtr& rows, const Memory& memory,
                           Context& context) const {
  for (size_t i = 0; i < layers.size(); ++i) {
    if (context.cache != nullptr) context.cache->current = i;
    x = layers[i](x, rows, memory, context);
  }
  return finish(x, context);
}

}  // namespace weft::nn
