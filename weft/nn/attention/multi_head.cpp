#include "weft/nn/attention/multi_head.h"

#include <cmath>

namespace weft::nn {

MultiHeadAttention::MultiHeadAttention(const AttentionOptions& o)
    : options(o),
      q_weight({o.heads * o.key_size, o.features}, Init::kGlorot),
      k_weight({o.heads * o.key_size, o.features}, Init::kGlorot),
      v_weight({o.heads * o.value_size, o.features}, Init::kGlorot),
      out_proj(o.heads * o.value_size, o.features, o.bias) {
  if (options.scale == 0) options.scale = 1 / std::sqrt(static_cast<double>(o.key_size));
  if (!o.bias) return;
  q_bias = Parameter({1, o.heads * o.key_size}, Init::kZeros);
  k_bias = Parameter({1, o.heads * o.key_size}, Init::kZeros);
  v_bias = Parameter({1, o.heads * o.value_size}, Init::kZeros);
}

ops::AttentionRule MultiHeadAttention::rule(const ops::RowsPtr& queries, const ops::RowsPtr& keys,
                                            bool causal, Context& context) const {
  const auto heads = static_cast<uint32_t>(options.heads);
  return {.queries = queries,
          .keys = keys,
          .heads = options.heads,
          .scale = options.scale,
          .causal = causal,
          .dropout = context.dropout(options.dropout, queries, heads),
          .trace = context.trace};
}

Tensor MultiHeadAttention::cached(const Tensor& q, const KvRows& kept, const SeenRows& seen,
                                  float* weights) const {
  Tensor out = Tensor::empty({q.rows(), kept.values.cols()}, q.dtype());  // [W, H*Kv]
  kernels::CachedAttention call;
  call.q = q;
  call.out = out;
  call.keys = kept.keys;
  call.values = kept.values;
  call.rows = seen.rows;
  call.offsets = seen.offsets;
  call.heads = options.heads;
  call.scale = options.scale;
  call.weights = weights;
  backend_of(q).cached_attention(call);
  return out;
}

Tensor MultiHeadAttention::self(const Tensor& x, const ops::RowsPtr& rows, bool causal,
                                Context& context) const {
  const Tensor qkv = linear(x, {&q_weight, &k_weight, &v_weight}, {&q_bias, &k_bias, &v_bias},
                            ops::Activation::kNone, context.tape);  // [N, 2*H*K + H*Kv]
  const int64_t keys = options.heads * options.key_size,
                values = options.heads * options.value_size;
  const auto parts = autograd::split(context.tape, qkv, {keys, keys, values});
  const Tensor &q = parts[0], &k = parts[1], &v = parts[2];  // [N, H*K], [N, H*K], [N, H*Kv]
  if (context.cache != nullptr && causal) {
    context.cache->write_self(k, v);
    const Tensor heads = cached(q, context.cache->layer().self, context.cache->self());
    return out_proj(heads, nullptr);
  }
  const Tensor heads = ops::attention(q, k, v, rule(rows, rows, causal, context), context.tape);
  return out_proj(heads, context.tape);  // [N, D]
}

std::pair<Tensor, Tensor> MultiHeadAttention::keys_and_values(const Tensor& memory,
                                                              autograd::Tape* tape) const {
  const Tensor kv = linear(memory, {&k_weight, &v_weight}, {&k_bias, &v_bias},
                           ops::Activation::kNone, tape);  // [M, H*K + H*Kv]
  const int64_t keys = options.heads * options.key_size;
  const auto parts = autograd::split(tape, kv, {keys, options.heads * options.value_size});
  return {parts[0], parts[1]};
}

void MultiHeadAttention::remember(const Tensor& memory, KvCache& cache) const {
  const auto [k, v] = keys_and_values(memory, nullptr);
  cache.write_memory(k, v);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const ops::RowsPtr& rows, const Tensor& memory,
                                 const ops::RowsPtr& memory_rows, Context& context) const {
  const Tensor q = linear(x, {&q_weight}, {&q_bias}, ops::Activation::kNone, context.tape);
  if (context.cache != nullptr) {
    KvCache& cache = *context.cache;
    const Tensor heads = cached(q, cache.layer().memory, cache.memory(), cache.memory_weights());
    return out_proj(heads, nullptr);
  }
  const auto [k, v] = keys_and_values(memory, context.tape);  // [M, H*K], [M, H*Kv]
  const Tensor heads =
      ops::attention(q, k, v, rule(rows, memory_rows, false, context), context.tape);
  return out_proj(heads, context.tape);  // [N, D]
}

}  // namespace weft::nn
