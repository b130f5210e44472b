#include "weft/nn/attention/multi_head.h"

#include <cmath>

#include "weft/nn/attention/guide.h"

namespace weft::nn {
namespace {

// Queries or keys x [N, heads*K], rotated where there is a rule.
Tensor apply_rotary(const Tensor& x, const std::optional<ops::RotaryRule>& rule, int64_t heads,
                    autograd::Tape* tape) {
  if (!rule) return x;
  ops::RotaryRule turn = *rule;
  turn.heads = heads;
  return ops::rotary(x, turn, tape);
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const AttentionConfig& o)
    : options(o),
      v_weight({o.value_width(), o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias),
      qk_norm(make_qk_norm(o.qk_norm, o.key_size, o.qk_norm_epsilon)) {
  if (options.scale == 0) options.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  const auto [has_queries, has_keys] = std::visit(
      []<class Kind>(const Kind&) { return std::pair(Kind::kHasQueries, Kind::kHasKeys); }, o.kind);
  if (has_queries) q_weight = Parameter({o.query_width(), o.features}, Init::kGlorot);
  if (has_keys) k_weight = Parameter({o.key_width(), o.features}, Init::kGlorot);
  if (!o.bias) return;
  if (has_queries) q_bias = Parameter({1, o.query_width()}, Init::kZeros);
  if (has_keys) k_bias = Parameter({1, o.key_width()}, Init::kZeros);
  v_bias = Parameter({1, o.value_width()}, Init::kZeros);
}

void MultiHeadAttention::project(SelfInput& in, autograd::Tape* tape) const {
  const auto none = ops::Activation::kNone;
  const int64_t queries = options.query_width();
  if (!q_weight.is_present()) {
    in.v = linear(in.x, {&v_weight}, {&v_bias}, none, tape);  // [N, G*Kv]
  } else if (!k_weight.is_present()) {
    const Tensor qv = linear(in.x, {&q_weight, &v_weight}, {&q_bias, &v_bias}, none, tape);
    const auto parts = autograd::split(tape, qv, {queries, options.value_width()});
    in.q = parts[0], in.v = parts[1];
  } else {
    const Tensor qkv = linear(in.x, {&q_weight, &k_weight, &v_weight}, {&q_bias, &k_bias, &v_bias},
                              none, tape);  // [N, H*K + G*K + G*Kv]
    const auto parts =
        autograd::split(tape, qkv, {queries, options.key_width(), options.value_width()});
    in.q = qk_norm.queries(parts[0], tape), in.k = qk_norm.keys(parts[1], tape), in.v = parts[2];
  }
}

Tensor MultiHeadAttention::self(const Tensor& x, const SelfRows& of, Context& context) const {
  SelfInput in{x, {}, {}, {}, of, options};
  project(in, context.tape);
  if (in.k) {
    in.q = apply_rotary(in.q, of.position.rotary, options.heads, context.tape);
    in.k = apply_rotary(in.k, of.position.rotary, options.groups(), context.tape);
  }
  const Tensor heads =
      std::visit([&](const auto& kind) { return kind(in, context); }, options.kind);  // [N, H*Kv]
  return out_proj(heads, context.tape);                                               // [N, D]
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(
    const Tensor& memory, const std::optional<ops::RotaryRule>& turn, autograd::Tape* tape) const {
  const Tensor kv = linear(memory, {&k_weight, &v_weight}, {&k_bias, &v_bias},
                           ops::Activation::kNone, tape);  // [M, G*K + G*Kv]
  const auto parts = autograd::split(tape, kv, {options.key_width(), options.value_width()});
  const Tensor k = qk_norm.keys(parts[0], tape);
  return {apply_rotary(k, turn, options.groups(), tape), parts[1]};
}

void MultiHeadAttention::remember(const Tensor& memory, KvCache& cache,
                                  const std::optional<ops::RotaryRule>& turn) const {
  const auto [k, v] = keys_and_values(memory, turn, nullptr);
  cache.write_memory(k, v);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const CrossRows& of, Context& context) const {
  Tensor q = qk_norm.queries(
      linear(x, {&q_weight}, {&q_bias}, ops::Activation::kNone, context.tape), context.tape);
  q = apply_rotary(q, of.query_turn, options.heads, context.tape);  // [N, H*K]
  const AttentionPrior& prior = options.prior;
  const ops::PositionBias bias = prior.bias(q.dtype());
  const ops::RowsPtr rows = prior.is_present() ? prior.moved(*of.rows) : of.rows;
  if (context.cache != nullptr) {
    KvCache& cache = *context.cache;
    kernels::CachedAttention how = cached_rule(options);
    how.weights = cache.memory_weights();
    how.bias = bias.view();
    how.position = rows->position.data();
    return out_proj(cached_attention(q, cache.layer().memory, cache.memory(), how), nullptr);
  }
  const auto [k, v] = keys_and_values(of.memory, of.key_turn, context.tape);  // [M, G*K], [M, G*Kv]
  ops::AttentionRule how = full_rule(options, of.rows, of.memory_rows, context);
  how.queries = rows;
  how.bias = bias;
  if (context.guide != nullptr) context.guide->see(q, k, how, context.tape);
  return out_proj(ops::attention(q, k, v, how, context.tape), context.tape);  // [N, D]
}

}  // namespace weft::nn
