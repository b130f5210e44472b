#include "weft/nn/attention/multi_head.h"

#include <algorithm>
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

struct Projection {
  const Parameter& weight;  // [D_out, D]
  const Parameter& bias;    // [1, D_out], or not present
};

// The projections of x [N, D], each [N, D_out]; one product if either all or none have biases.
template <class... Projections>
std::vector<Tensor> project_all(const Tensor& x, const LinearPass& pass,
                                const Projections&... parts) {
  const auto none = ops::Activation::kNone;
  const bool has_bias[] = {parts.bias.is_present()...};
  if (std::ranges::count(has_bias, has_bias[0]) != std::ssize(has_bias)) {
    return {linear(x, {&parts.weight}, {&parts.bias}, none, pass)...};
  }
  const Tensor all = linear(x, {&parts.weight...}, {&parts.bias...}, none, pass);
  return autograd::split(pass.tape, all, {parts.weight.shape.rows()...});
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionConfig& o, RngStreams& streams)
    : config(o),
      v_weight({o.value_width(), o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias && o.output_bias),
      qk_norm(make_qk_norm(o.qk_norm, o.key_size, o.qk_norm_epsilon)) {
  if (config.scale == 0) config.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  // As many streams in every layer, whatever is pruned of it.
  config.dropout_stream = streams.take(o.kind.dropout_streams(o.all_heads()));
  const bool has_queries = o.kind.has_queries(), has_keys = o.kind.has_keys();
  if (has_queries) q_weight = Parameter({o.query_width(), o.features}, Init::kGlorot);
  if (has_keys) k_weight = Parameter({o.key_width(), o.features}, Init::kGlorot);
  if (!o.bias) return;
  if (has_queries && o.query_bias) q_bias = Parameter({1, o.query_width()}, Init::kZeros);
  if (has_keys && o.key_bias) k_bias = Parameter({1, o.key_width()}, Init::kZeros);
  if (o.value_bias) v_bias = Parameter({1, o.value_width()}, Init::kZeros);
}

SelfInput MultiHeadAttention::project(const Tensor& x, const SelfLayout& self,
                                      const Context& context) const {
  SelfInput in{x, {}, {}, {}, self, config};
  const LinearPass pass(context, self.rows);
  autograd::Tape* const tape = context.tape;
  const Projection queries{q_weight, q_bias}, keys{k_weight, k_bias}, values{v_weight, v_bias};
  if (!q_weight.is_present()) {
    in.v = linear(x, {&v_weight}, {&v_bias}, ops::Activation::kNone, pass);  // [N, G*Kv]
  } else if (!k_weight.is_present()) {
    const std::vector<Tensor> parts = project_all(x, pass, queries, values);
    in.q = parts[0], in.v = parts[1];
  } else {
    const std::vector<Tensor> parts = project_all(x, pass, queries, keys, values);
    const std::optional<ops::RotaryParams>& rotary = self.position.rotary_of(config.is_local);
    in.q = apply_rotary(qk_norm.queries(parts[0], tape), rotary, config.heads, tape);
    in.k = apply_rotary(qk_norm.keys(parts[1], tape), rotary, config.groups(), tape);
    in.v = parts[2];
  }
  return in;
}

Tensor MultiHeadAttention::forward(const Tensor& x, const SelfLayout& self,
                                   const Context& context) const {
  const Tensor heads = config.kind.forward(project(x, self, context), context);  // [N, H*Kv]
  return config.kind.output(x, out_proj(heads, {context, self.rows}), context);
}

Tensor MultiHeadAttention::prefill(const Tensor& x, const SelfLayout& self, KvCache& cache,
                                   const Context& context) const {
  const Tensor heads = config.kind.prefill(project(x, self, context), cache, context);
  return config.kind.output(x, out_proj(heads, {context, self.rows}), context);
}

Tensor MultiHeadAttention::step(const Tensor& x, const SelfLayout& self, KvCache& cache,
                                const Context& context) const {
  const Tensor heads = config.kind.step(project(x, self, context), cache, context);
  return config.kind.output(x, out_proj(heads, {context, self.rows}), context);
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(
    const Tensor& memory, const std::optional<ops::RotaryParams>& rotary,
    autograd::Tape* tape) const {
  const std::vector<Tensor> parts =
      project_all(memory, tape, Projection{k_weight, k_bias}, Projection{v_weight, v_bias});
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
