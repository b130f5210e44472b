#include "weft/nn/attention/multi_head.h"

#include <cmath>

#include "weft/nn/attention/observed.h"

namespace weft::nn {
namespace {

// Queries or keys x [N, heads*K], rotated where positions are rotary.
Tensor apply_rotary(const Tensor& x, const std::optional<ops::RotaryParams>& params, int64_t heads,
                    autograd::Tape* tape) {
  if (!params) return x;
  ops::RotaryParams rotary = *params;
  rotary.heads = heads;
  return ops::rotary(x, rotary, tape);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionConfig& o, RngStreams& streams)
    : config(o),
      v_weight({o.value_width(), o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias && o.output_bias),
      qk_norm(make_qk_norm(o.qk_norm, o.key_size, o.qk_norm_epsilon)) {
  if (config.scale == 0) config.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  // As many sites in every layer, whatever is pruned of it.
  config.dropout_site = streams.take(o.kind.dropout_streams(o.all_heads()));
  const bool has_queries = o.kind.has_queries(), has_keys = o.kind.has_keys();
  if (has_queries) q_weight = Parameter({o.query_width(), o.features}, Init::kGlorot);
  if (has_keys) k_weight = Parameter({o.key_width(), o.features}, Init::kGlorot);
  if (!o.bias) return;
  if (has_queries) q_bias = Parameter({1, o.query_width()}, Init::kZeros);
  if (has_keys && o.has_key_bias()) k_bias = Parameter({1, o.key_width()}, Init::kZeros);
  v_bias = Parameter({1, o.value_width()}, Init::kZeros);
}

std::vector<Tensor> MultiHeadAttention::queries_keys_values(const Tensor& x,
                                                            autograd::Tape* tape) const {
  const auto none = ops::Activation::kNone;
  if (config.bias && !config.key_bias) {
    return {linear(x, {&q_weight}, {&q_bias}, none, tape),
            linear(x, {&k_weight}, {&k_bias}, none, tape),
            linear(x, {&v_weight}, {&v_bias}, none, tape)};
  }
  const Tensor qkv = linear(x, {&q_weight, &k_weight, &v_weight}, {&q_bias, &k_bias, &v_bias}, none,
                            tape);  // [N, H*K + G*K + G*Kv]
  return autograd::split(tape, qkv,
                         {config.query_width(), config.key_width(), config.value_width()});
}

std::vector<Tensor> MultiHeadAttention::keys_values(const Tensor& x, autograd::Tape* tape) const {
  const auto none = ops::Activation::kNone;
  if (config.bias && !config.key_bias) {
    return {linear(x, {&k_weight}, {&k_bias}, none, tape),
            linear(x, {&v_weight}, {&v_bias}, none, tape)};
  }
  const Tensor kv = linear(x, {&k_weight, &v_weight}, {&k_bias, &v_bias}, none, tape);
  return autograd::split(tape, kv, {config.key_width(), config.value_width()});
}

SelfInput MultiHeadAttention::project(const Tensor& x, const SelfLayout& self,
                                      autograd::Tape* tape) const {
  SelfInput in{x, {}, {}, {}, self, config};
  const auto none = ops::Activation::kNone;
  if (!q_weight.is_present()) {
    in.v = linear(x, {&v_weight}, {&v_bias}, none, tape);  // [N, G*Kv]
  } else if (!k_weight.is_present()) {
    const Tensor qv = linear(x, {&q_weight, &v_weight}, {&q_bias, &v_bias}, none, tape);
    const auto parts = autograd::split(tape, qv, {config.query_width(), config.value_width()});
    in.q = parts[0], in.v = parts[1];
  } else {
    const std::vector<Tensor> parts = queries_keys_values(x, tape);
    const std::optional<ops::RotaryParams>& rotary = self.position.rotary;
    in.q = apply_rotary(qk_norm.queries(parts[0], tape), rotary, config.heads, tape);
    in.k = apply_rotary(qk_norm.keys(parts[1], tape), rotary, config.groups(), tape);
    in.v = parts[2];
  }
  return in;
}

Tensor MultiHeadAttention::forward(const Tensor& x, const SelfLayout& self,
                                   const Context& context) const {
  const Tensor heads = config.kind.forward(project(x, self, context.tape), context);  // [N, H*Kv]
  return config.kind.output(x, out_proj(heads, context.tape), context);
}

Tensor MultiHeadAttention::prefill(const Tensor& x, const SelfLayout& self, KvCache& cache,
                                   const Context& context) const {
  const Tensor heads = config.kind.prefill(project(x, self, context.tape), cache, context);
  return config.kind.output(x, out_proj(heads, context.tape), context);
}

Tensor MultiHeadAttention::step(const Tensor& x, const SelfLayout& self, KvCache& cache,
                                const Context& context) const {
  const Tensor heads = config.kind.step(project(x, self, context.tape), cache, context);
  return config.kind.output(x, out_proj(heads, context.tape), context);
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(
    const Tensor& memory, const std::optional<ops::RotaryParams>& rotary,
    autograd::Tape* tape) const {
  const std::vector<Tensor> parts = keys_values(memory, tape);
  const Tensor k = qk_norm.keys(parts[0], tape);
  return {apply_rotary(k, rotary, config.groups(), tape), parts[1]};
}

void MultiHeadAttention::prefill_cross(const Tensor& memory, KvCache& cache, size_t layer,
                                       const std::optional<ops::RotaryParams>& rotary) const {
  const auto [k, v] = keys_and_values(memory, rotary, nullptr);
  cache.write_memory(layer, k, v, config.groups());
}

Tensor MultiHeadAttention::cross_queries(const Tensor& x,
                                         const std::optional<ops::RotaryParams>& rotary,
                                         autograd::Tape* tape) const {
  const Tensor q = linear(x, {&q_weight}, {&q_bias}, ops::Activation::kNone, tape);
  return apply_rotary(qk_norm.queries(q, tape), rotary, config.heads, tape);  // [N, H*K]
}

Tensor MultiHeadAttention::cross(const Tensor& x, const CrossLayout& rows,
                                 const Context& context) const {
  const Tensor q = cross_queries(x, rows.query_rotary, context.tape);
  const auto [k, v] =
      keys_and_values(rows.memory, rows.key_rotary, context.tape);  // [M, G*K], [M, G*Kv]
  ops::AttentionParams params = full_params(config, rows.rows, rows.memory_rows, context);
  if (config.prior.is_present()) params.queries = config.prior.moved(*rows.rows);
  params.bias = config.prior.bias(q.dtype());
  show_to_observer(q, k, params, key_of(context, AttentionRole::kCross), context);
  return out_proj(ops::attention(q, k, v, params, context.tape), context.tape);  // [N, D]
}

Tensor MultiHeadAttention::cross(const Tensor& x, const CachedCross& rows,
                                 const Context& context) const {
  const KvCache& cache = rows.cache;
  const Tensor q = cross_queries(x, rows.query_rotary, nullptr);
  const ops::PositionBias bias = config.prior.bias(q.dtype());
  const ops::LayoutPtr moved =
      config.prior.is_present() ? config.prior.moved(*rows.rows) : rows.rows;
  kernels::CachedAttention call = cached_params(config);
  call.bias = bias.view();
  call.position = moved->position.data();
  const KvRows& kept = cache.layer(static_cast<size_t>(context.scope.layer)).memory;
  return out_proj(attend({q, kept, cache.memory(), config.heads * config.value_size, call},
                         key_of(context, AttentionRole::kCross), context),
                  nullptr);
}

}  // namespace weft::nn
