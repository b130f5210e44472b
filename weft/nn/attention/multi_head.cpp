#include "weft/nn/attention/multi_head.h"

#include <cmath>

#include "weft/nn/attention/guide.h"
#include "weft/ops/activation.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/scale.h"

namespace weft::nn {

MultiHeadAttention::MultiHeadAttention(const AttentionOptions& o)
    : options(o),
      prior(o.prior),
      q_weight({o.heads * o.key_size, o.features}, Init::kGlorot),
      k_weight({o.keys(), o.features}, Init::kGlorot),
      v_weight({o.values(), o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias),
      qk_norm(make_qk_norm(o.qk_norm, o.key_size, o.qk_norm_epsilon)) {
  if (options.scale == 0) options.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  if (!o.bias) return;
  q_bias = Parameter({1, o.heads * o.key_size}, Init::kZeros);
  k_bias = Parameter({1, o.keys()}, Init::kZeros);
  v_bias = Parameter({1, o.values()}, Init::kZeros);
}

// `how` says what is not the layer's own: reach, bias, where weights go.
Tensor MultiHeadAttention::cached(const Tensor& q, const KvRows& kept, const SeenRows& seen,
                                  const kernels::CachedAttention& how) const {
  Tensor out = Tensor::empty({q.rows(), options.heads * options.value_size}, q.dtype());
  kernels::CachedAttention call = how;
  call.q = q;
  call.out = out;
  call.keys = kept.keys;
  call.values = kept.values;
  call.rows = seen.rows;
  call.offsets = seen.offsets;
  call.heads = options.heads;
  call.key_heads = options.key_heads;
  call.scale = options.scale;
  call.function = options.function;
  backend_of(q).cached_attention(call);
  return out;  // [W, H*Kv]
}

Tensor MultiHeadAttention::linear_self(const Tensor& q, const Tensor& k, const Tensor& v,
                                       const SelfRows& of, Context& context) const {
  const bool by_weight = !std::get<LinearAttention>(options.kind).is_bare;
  const auto positive = ops::Activation::kEluPlusOne;
  const Tensor queries = by_weight ? ops::activate(positive, q, context.tape)
                                   : ops::scale(q, options.scale, context.tape);
  const Tensor keys = by_weight ? ops::activate(positive, k, context.tape) : k;
  if (context.cache != nullptr && of.causal) {
    Tensor state = context.cache->continue_state(
        options.heads * options.key_size * (options.value_size + 1), q.dtype());
    Tensor out = Tensor::empty(v.shape(), v.dtype());
    backend_of(q).linear_attention_step({.q = queries,
                                         .k = keys,
                                         .v = v,
                                         .out = out,
                                         .state = state,
                                         .position = of.rows->position.data(),
                                         .heads = options.heads,
                                         .by_weight = by_weight});
    context.cache->keep_state(std::move(state));
    return out;  // [W, H*Kv]
  }
  return ops::linear_attention(queries, keys, v,
                               {.queries = of.rows,
                                .keys = of.rows,
                                .heads = options.heads,
                                .causal = of.causal,
                                .by_weight = by_weight,
                                .trace = context.trace},
                               context.tape);  // [N, H*Kv]
}

Tensor MultiHeadAttention::self(const Tensor& x, const SelfRows& of, Context& context) const {
  const Tensor qkv = linear(x, {&q_weight, &k_weight, &v_weight}, {&q_bias, &k_bias, &v_bias},
                            ops::Activation::kNone, context.tape);  // [N, H*K + G*K + G*Kv]
  const auto parts = autograd::split(
      context.tape, qkv, {options.heads * options.key_size, options.keys(), options.values()});
  Tensor q = qk_norm.queries(parts[0], context.tape);  // [N, H*K]
  Tensor k = qk_norm.keys(parts[1], context.tape);     // [N, G*K]
  const Tensor& v = parts[2];                          // [N, G*Kv]
  if (of.position.rotary) {
    ops::RotaryRule turn = *of.position.rotary;
    turn.heads = options.heads;
    q = ops::rotary(q, turn, context.tape);
    turn.heads = options.keys() / options.key_size;
    k = ops::rotary(k, turn, context.tape);
  }
  if (std::holds_alternative<LinearAttention>(options.kind)) {
    return out_proj(linear_self(q, k, v, of, context), context.tape);
  }
  if (context.cache != nullptr && of.causal) {
    context.cache->write_self(k, v);
    kernels::CachedAttention how;
    how.reach = options.reach();
    how.bias = of.position.bias.view();
    return out_proj(cached(q, context.cache->layer().self, context.cache->self(), how), nullptr);
  }
  ops::AttentionRule how = full_rule(options, of.rows, of.rows, context);
  how.causal = of.causal;
  how.reach = options.reach();
  how.bias = of.position.bias;
  return out_proj(ops::attention(q, k, v, how, context.tape), context.tape);  // [N, D]
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(const Tensor& memory,
                                                              autograd::Tape* tape) const {
  const Tensor kv = linear(memory, {&k_weight, &v_weight}, {&k_bias, &v_bias},
                           ops::Activation::kNone, tape);  // [M, G*K + G*Kv]
  const auto parts = autograd::split(tape, kv, {options.keys(), options.values()});
  return {qk_norm.keys(parts[0], tape), parts[1]};
}

void MultiHeadAttention::remember(const Tensor& memory, KvCache& cache) const {
  const auto [k, v] = keys_and_values(memory, nullptr);
  cache.write_memory(k, v);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const ops::RowsPtr& rows, const Tensor& memory,
                                 const ops::RowsPtr& memory_rows, Context& context) const {
  const Tensor q =
      qk_norm.queries(linear(x, {&q_weight}, {&q_bias}, ops::Activation::kNone, context.tape),
                      context.tape);  // [N, H*K]
  if (context.cache != nullptr) {
    KvCache& cache = *context.cache;
    kernels::CachedAttention how;
    how.weights = cache.memory_weights();
    const ops::PositionBias bias = prior.bias(options.heads, q.dtype());
    const ops::RowsPtr at = prior.is_present() ? prior.moved(*rows) : rows;
    how.bias = bias.view();
    if (prior.is_present()) how.position = at->position.data();
    return out_proj(cached(q, cache.layer().memory, cache.memory(), how), nullptr);
  }
  const auto [k, v] = keys_and_values(memory, context.tape);  // [M, G*K], [M, G*Kv]
  ops::AttentionRule how = full_rule(options, rows, memory_rows, context);
  if (prior.is_present()) {
    how.queries = prior.moved(*rows);
    how.bias = prior.bias(options.heads, q.dtype());
  }
  if (context.guide != nullptr) context.guide->see(q, k, how, context.tape);
  return out_proj(ops::attention(q, k, v, how, context.tape), context.tape);  // [N, D]
}

}  // namespace weft::nn
