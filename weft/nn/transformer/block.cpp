#include "weft/nn/transformer/block.h"

#include <array>
#include <utility>

#include "weft/autograd/recompute.h"

namespace weft::nn {
namespace {

bool has_gradient(const Tensor& x) { return x && x.node != autograd::kConstant; }

// Whether backward runs the block again. If no input needs a gradient, its activations are kept as
// usual: recomputing finds parameters through the inputs.
bool is_recomputed(const Tensor& x, const SelfLayout& self, const Memory& memory,
                   const Context& context) {
  return context.recompute && context.tape != nullptr &&
         (has_gradient(x) || has_gradient(memory.states) || has_gradient(self.position.bias.table));
}

void scale_initial(double gain, MultiHeadAttention& attention) {
  attention.v_weight.gain = attention.out_proj.weight.gain = gain;
}

void scale_initial(double gain, FeedForward& network) {
  network.gate_weight.gain = network.fc1_weight.gain = network.fc2.weight.gain = gain;
}

}  // namespace

Residual BlockOptions::make_residual(RngStreams& streams) const {
  return {.norm = make_norm(),
          .output_norm = make_output_norm(norm, attention.features),
          .placement = norm.placement,
          .scale = residual_scale,
          .dropout = {dropout, streams.take()},
          .drop_path_stream = has_drop_path ? streams.take() : 0};
}

Block::Block(const BlockOptions& o, RngStreams streams)
    : self_residual(o.make_residual(streams)),
      self_attn(o.attention.without(o.pruned_self), streams) {
  if (!o.has_self_norm) self_residual.norm = {};
  if (o.has_cross_attention) {
    cross_residual = o.make_residual(streams);
    encoder_attn.emplace(o.attention.full().without(o.pruned_cross), streams);
    if (o.has_memory_norm) memory_norm = o.make_norm();
    scale_initial(o.init_gain, *encoder_attn);
  }
  ffn_residual = o.make_residual(streams);
  feed_forward = FeedForward(o.feed_forward, o.attention.features, streams);
  scale_initial(o.init_gain, self_attn);
  scale_initial(o.init_gain, feed_forward);
  dropouts_ = streams.taken();
}

Tensor Block::forward(Tensor x, const SelfLayout& self, const Memory& memory,
                      const Context& context) const {
  if (is_recomputed(x, self, memory, context)) return recomputed(x, self, memory, context);
  x = self_residual(x, self.rows, context,
                    [&](const Tensor& y) { return self_attn.forward(y, self, context); });
  if (encoder_attn) {
    x = cross_residual(x, self.rows, context, [&](const Tensor& y) {
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
  return ffn_residual(x, self.rows, context,
                      [&](const Tensor& y) { return feed_forward(y, self.rows, context); });
}

Tensor Block::recomputed(const Tensor& x, const SelfLayout& self, const Memory& memory,
                         const Context& context) const {
  Context first = context;
  first.recompute = false;
  first.tape = nullptr;
  Tensor y = forward(x, self, memory, first);
  const auto run_again = [this, first, rows = self.rows, position = self.position,
                          causal = self.causal, memory_rows = memory.rows, rotary = memory.rotary](
                             const std::array<Tensor, 3>& inputs, autograd::Tape* tape) {
    Context again = first;
    again.tape = tape;
    again.statistics = nullptr;  // the first run recorded them
    again.observer = nullptr;    // and was seen
    AttentionPosition biased = position;
    biased.bias.table = inputs[2];
    const Memory read{.states = inputs[1], .rows = memory_rows, .rotary = rotary};
    return forward(inputs[0], {rows, biased, causal}, read, again);
  };
  autograd::record_recomputed(*context.tape, y,
                              std::array{x, memory.states, self.position.bias.table}, run_again);
  return y;
}

Tensor Block::forward(Tensor x, const SelfLayout& self, const KvCache& memory,
                      const Context& context) const {
  x = self_residual(x, self.rows, context,
                    [&](const Tensor& y) { return self_attn.forward(y, self, context); });
  return after_self(std::move(x), self.rows, memory, context);
}

Tensor Block::prefill(Tensor x, const SelfLayout& self, KvCache& cache,
                      const Context& context) const {
  x = self_residual(x, self.rows, context,
                    [&](const Tensor& y) { return self_attn.prefill(y, self, cache, context); });
  return after_self(std::move(x), self.rows, cache, context);
}

Tensor Block::step(Tensor x, const SelfLayout& self, KvCache& cache, const Context& context) const {
  x = self_residual(x, self.rows, context,
                    [&](const Tensor& y) { return self_attn.step(y, self, cache, context); });
  return after_self(std::move(x), self.rows, cache, context);
}

Tensor Block::after_self(Tensor x, const ops::LayoutPtr& rows, const KvCache& cache,
                         const Context& context) const {
  if (encoder_attn) {
    x = cross_residual(x, rows, context, [&](const Tensor& y) {
      return encoder_attn->cross(y, CachedCross{rows, cache}, context);
    });
  }
  return ffn_residual(x, rows, context,
                      [&](const Tensor& y) { return feed_forward(y, rows, context); });
}

void Block::prefill_cross(const Memory& memory, KvCache& cache, size_t layer) const {
  const Tensor states = memory_norm.is_present() ? memory_norm(memory.states, {}) : memory.states;
  encoder_attn->prefill_cross(states, cache, layer, memory.rotary);
}

}  // namespace weft::nn
