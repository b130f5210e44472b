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

Residual BlockOptions::make_residual(DropoutSites& sites) const {
  return {.norm = make_norm(),
          .place = norm.place,
          .scale = residual_scale,
          .dropout = {dropout, sites.take()},
          .drop_path_site = has_drop_path ? sites.take() : 0};
}

Block::Block(const BlockOptions& o, DropoutSites sites)
    : self_residual(o.make_residual(sites)), self_attn(o.attention.without(o.pruned_self), sites) {
  if (o.has_cross_attention) {
    cross_residual = o.make_residual(sites);
    encoder_attn.emplace(o.attention.cross().without(o.pruned_cross), sites);
    if (o.has_memory_norm) memory_norm = o.make_norm();
    scale_initial(o.init_gain, *encoder_attn);
  }
  ffn_residual = o.make_residual(sites);
  feed_forward = FeedForward(o.feed_forward, o.attention.features, sites);
  scale_initial(o.init_gain, self_attn);
  scale_initial(o.init_gain, feed_forward);
  dropouts_ = sites.taken();
}

Tensor Block::operator()(Tensor x, const SelfRows& self, const Memory& memory,
                         const Context& context) const {
  const ops::RowsPtr& rows = self.rows;
  x = self_residual.after(x, self_attn.self(self_residual.before(x, context), self, context), rows,
                          context);
  if (encoder_attn) {
    const Tensor states =
        memory_norm.is_present() ? memory_norm(memory.states, context) : memory.states;
    CrossRows sides{rows, states, memory.rows};
    if (memory.rotary) {
      sides.query_rotary = self.position.rotary;
      sides.key_rotary = memory.rotary;
    }
    x = cross_residual.after(
        x, encoder_attn->cross(cross_residual.before(x, context), sides, context), rows, context);
  }
  return ffn_residual.after(x, feed_forward(ffn_residual.before(x, context), rows, context), rows,
                            context);
}

void Block::remember(const Memory& memory, KvCache& cache, size_t layer) const {
  const Tensor states = memory_norm.is_present() ? memory_norm(memory.states, {}) : memory.states;
  encoder_attn->remember(states, cache, layer, memory.rotary);
}

}  // namespace weft::nn
