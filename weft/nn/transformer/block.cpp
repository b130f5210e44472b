#include "weft/nn/transformer/block.h"

namespace weft::nn {
namespace {

void scale_initial(double gain, MultiHeadAttention& attention) {
  attention.v_weight.gain = attention.out_proj.weight.gain = gain;
}

void scale_initial(double gain, FeedForward& network) {
  network.gate_weight.gain = network.fc1_weight.gain = network.fc2.weight.gain = gain;
}

}  // namespace

Residual BlockOptions::make_residual(RngStreams& streams) const {
  return {.norm = make_norm(),
          .place = norm.place,
          .scale = residual_scale,
          .dropout = {dropout, streams.take()},
          .drop_path_stream = has_drop_path ? streams.take() : 0};
}

Block::Block(const BlockOptions& o, RngStreams streams)
    : self_residual(o.make_residual(streams)),
      self_attn(o.attention.without(o.pruned_self), streams) {
  if (o.has_cross_attention) {
    cross_residual = o.make_residual(streams);
    encoder_attn.emplace(o.attention.cross().without(o.pruned_cross), streams);
    if (o.has_memory_norm) memory_norm = o.make_norm();
    scale_initial(o.init_gain, *encoder_attn);
  }
  ffn_residual = o.make_residual(streams);
  feed_forward = FeedForward(o.feed_forward, o.attention.features, streams);
  scale_initial(o.init_gain, self_attn);
  scale_initial(o.init_gain, feed_forward);
  dropouts_ = streams.taken();
}

Tensor Block::run(Tensor x, const ops::LayoutPtr& rows, const Context& context,
                  const Sublayer& self, const Sublayer& cross) const {
  x = self_residual(x, rows, context, self);
  if (encoder_attn) x = cross_residual(x, rows, context, cross);
  return ffn_residual(x, rows, context,
                      [&](const Tensor& y) { return feed_forward(y, rows, context); });
}

Tensor Block::forward(Tensor x, const SelfLayout& self, const Memory& memory,
                      const Context& context) const {
  return run(
      std::move(x), self.rows, context,
      [&](const Tensor& y) { return self_attn.forward(y, self, context); },
      [&](const Tensor& y) {
        const Tensor states =
            memory_norm.is_present() ? memory_norm(memory.states, context) : memory.states;
        CrossLayout rows{self.rows, states, memory.rows};
        if (memory.rotary) {
          rows.query_rotary = self.position.rotary;
          rows.key_rotary = memory.rotary;
        }
        return encoder_attn->cross(y, rows, context);
      });
}

Sublayer Block::cached_cross(const SelfLayout& self, const KvCache& cache,
                             const Context& context) const {
  return [&](const Tensor& y) {
    return encoder_attn->cross(y, CachedCross{self.rows, cache}, context);
  };
}

Tensor Block::forward(Tensor x, const SelfLayout& self, const KvCache& memory,
                      const Context& context) const {
  return run(
      std::move(x), self.rows, context,
      [&](const Tensor& y) { return self_attn.forward(y, self, context); },
      cached_cross(self, memory, context));
}

Tensor Block::prefill(Tensor x, const SelfLayout& self, KvCache& cache,
                      const Context& context) const {
  return run(
      std::move(x), self.rows, context,
      [&](const Tensor& y) { return self_attn.prefill(y, self, cache, context); },
      cached_cross(self, cache, context));
}

Tensor Block::step(Tensor x, const SelfLayout& self, KvCache& cache, const Context& context) const {
  return run(
      std::move(x), self.rows, context,
      [&](const Tensor& y) { return self_attn.step(y, self, cache, context); },
      cached_cross(self, cache, context));
}

void Block::prefill_cross(const Memory& memory, KvCache& cache, size_t layer) const {
  const Tensor states = memory_norm.is_present() ? memory_norm(memory.states, {}) : memory.states;
  encoder_attn->prefill_cross(states, cache, layer, memory.rotary);
}

}  // namespace weft::nn
