#include "weft/nn/attention/multi_head.h"

#include <cmath>

#include "weft/nn/attention/observed.h"

namespace weft::nn {
namespace {

// Queries or keys x [N, heads*K], rotated where there is a rule.
Tensor apply_rotary(const Tensor& x, const std::optional<ops::RotaryRule>& rule, int64_t heads,
                    autograd::Tape* tape) {
  if (!rule) return x;
  ops::RotaryRule rotary = *rule;
  rotary.heads = heads;
  return ops::rotary(x, rotary, tape);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionConfig& o, DropoutSites& sites)
    : config(o),
      v_weight({o.value_width(), o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias),
      qk_norm(make_qk_norm(o.qk_norm, o.key_size, o.qk_norm_epsilon)) {
  if (config.scale == 0) config.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  // As many sites in every layer, whatever is pruned of it.
  config.dropout_site = sites.take(o.kind.dropout_sites(o.all_heads()));
  const bool has_queries = o.kind.has_queries(), has_keys = o.kind.has_keys();
  if (has_queries) q_weight = Parameter({o.query_width(), o.features}, Init::kGlorot);
  if (has_keys) k_weight = Parameter({o.key_width(), o.features}, Init::kGlorot);
  if (!o.bias) return;
  if (has_queries) q_bias = Parameter({1, o.query_width()}, Init::kZeros);
  if (has_keys) k_bias = Parameter({1, o.key_width()}, Init::kZeros);
  v_bias = Parameter({1, o.value_width()}, Init::kZeros);
}

void MultiHeadAttention::project(SelfInput& in, autograd::Tape* tape) const {
  const auto none = ops::Activation::kNone;
  const int64_t queries = config.query_width();
  if (!q_weight.is_present()) {
    in.v = linear(in.x, {&v_weight}, {&v_bias}, none, tape);  // [N, G*Kv]
  } else if (!k_weight.is_present()) {
    const Tensor qv = linear(in.x, {&q_weight, &v_weight}, {&q_bias, &v_bias}, none, tape);
    const auto parts = autograd::split(tape, qv, {queries, config.value_width()});
    in.q = parts[0], in.v = parts[1];
  } else {
    const Tensor qkv = linear(in.x, {&q_weight, &k_weight, &v_weight}, {&q_bias, &k_bias, &v_bias},
                              none, tape);  // [N, H*K + G*K + G*Kv]
    const auto parts =
        autograd::split(tape, qkv, {queries, config.key_width(), config.value_width()});
    in.q = qk_norm.queries(parts[0], tape), in.k = qk_norm.keys(parts[1], tape), in.v = parts[2];
  }
}

Tensor MultiHeadAttention::self(const Tensor& x, const SelfRows& self,
                                const Context& context) const {
  SelfInput in{x, {}, {}, {}, self, config};
  project(in, context.tape);
  if (in.k) {
    in.q = apply_rotary(in.q, self.position.rotary, config.heads, context.tape);
    in.k = apply_rotary(in.k, self.position.rotary, config.groups(), context.tape);
  }
  return config.kind(in, out_proj, context);
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(
    const Tensor& memory, const std::optional<ops::RotaryRule>& rotary,
    autograd::Tape* tape) const {
  const Tensor kv = linear(memory, {&k_weight, &v_weight}, {&k_bias, &v_bias},
                           ops::Activation::kNone, tape);  // [M, G*K + G*Kv]
  const auto parts = autograd::split(tape, kv, {config.key_width(), config.value_width()});
  const Tensor k = qk_norm.keys(parts[0], tape);
  return {apply_rotary(k, rotary, config.groups(), tape), parts[1]};
}

void MultiHeadAttention::remember(const Tensor& memory, KvCache& cache, size_t layer,
                                  const std::optional<ops::RotaryRule>& rotary) const {
  const auto [k, v] = keys_and_values(memory, rotary, nullptr);
  cache.write_memory(layer, k, v);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const CrossRows& sides,
                                 const Context& context) const {
  Tensor q = qk_norm.queries(
      linear(x, {&q_weight}, {&q_bias}, ops::Activation::kNone, context.tape), context.tape);
  q = apply_rotary(q, sides.query_rotary, config.heads, context.tape);  // [N, H*K]
  const AttentionKey key = key_of(context, AttentionRole::kCross);
  const ops::PositionBias bias = config.prior.bias(q.dtype());
  const ops::RowsPtr rows =
      config.prior.is_present() ? config.prior.moved(*sides.rows) : sides.rows;
  if (context.cache != nullptr) {
    const KvCache& cache = *context.cache;
    const auto layer = static_cast<size_t>(context.scope.layer);
    kernels::CachedAttention call = cached_rule(config);
    call.bias = bias.view();
    call.position = rows->position.data();
    return out_proj(
        attend({q, cache.layer(layer).memory, cache.memory(), call, bias}, key, context), nullptr);
  }
  const auto [k, v] =
      keys_and_values(sides.memory, sides.key_rotary, context.tape);  // [M, G*K], [M, G*Kv]
  ops::AttentionRule rule = full_rule(config, sides.rows, sides.memory_rows, context);
  rule.queries = rows;
  rule.bias = bias;
  return out_proj(attend({q, k, v}, rule, key, context), context.tape);  // [N, D]
}

}  // namespace weft::nn
