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

Tensor MultiHeadAttention::cached_self(const Tensor& q, const Tensor& k, const Tensor& v,
                                       KvCache& cache) const {
  KvCache::Layer& layer = cache.layers[cache.current];
  cache.append(layer, k, v);
  Tensor out = Tensor::empty({q.rows(), v.cols()}, q.dtype());  // [W, H*Kv]
  kernels::CachedAttention call;
  call.q = q;
  call.out = out;
  call.keys = layer.keys;
  call.values = layer.values;
  call.ancestors = cache.ancestors().data();
  call.slab_rows = cache.slab_rows();
  call.length = cache.length();
  call.heads = options.heads;
  call.scale = options.scale;
  backend_of(q).cached_attention(call);
  return out;
}

Tensor MultiHeadAttention::self(const Tensor& x, const ops::RowsPtr& rows, bool causal,
                                Context& context) const {
  const Tensor weight = neighbours({&q_weight, &k_weight, &v_weight});  // [2*H*K + H*Kv, D]
  const Tensor bias = options.bias ? neighbours({&q_bias, &k_bias, &v_bias}) : Tensor();
  const Tensor qkv = ops::linear(x, {weight, bias}, ops::Activation::kNone, context.tape);
  const int64_t keys = options.heads * options.key_size,
                values = options.heads * options.value_size;
  const auto parts = autograd::split(context.tape, qkv, {keys, keys, values});
  const Tensor &q = parts[0], &k = parts[1], &v = parts[2];  // [N, H*K], [N, H*K], [N, H*Kv]
  if (context.cache != nullptr && causal) {
    return out_proj(cached_self(q, k, v, *context.cache), nullptr);
  }
  const Tensor heads = ops::attention(q, k, v, rule(rows, rows, causal, context), context.tape);
  return out_proj(heads, context.tape);  // [N, D]
}

Tensor MultiHeadAttention::cross(const Tensor& x, const ops::RowsPtr& rows, const Tensor& memory,
                                 const ops::RowsPtr& memory_rows, Context& context) const {
  const Tensor q = ops::linear(x, {q_weight, q_bias}, ops::Activation::kNone, context.tape);
  const auto keys_and_values = [&] {
    const Tensor weight = neighbours({&k_weight, &v_weight});  // [H*K + H*Kv, D]
    const Tensor bias = options.bias ? neighbours({&k_bias, &v_bias}) : Tensor();
    const Tensor kv = ops::linear(memory, {weight, bias}, ops::Activation::kNone, context.tape);
    const int64_t keys = options.heads * options.key_size;
    return autograd::split(context.tape, kv, {keys, options.heads * options.value_size});
  };
  Tensor k, v;  // [M, H*K], [M, H*Kv]
  if (context.cache != nullptr) {
    KvCache::Layer& layer = context.cache->layers[context.cache->current];
    if (!layer.memory_keys) {
      const auto parts = keys_and_values();
      layer.memory_keys = parts[0];
      layer.memory_values = parts[1];
    }
    k = layer.memory_keys;
    v = layer.memory_values;
  } else {
    const auto parts = keys_and_values();
    k = parts[0];
    v = parts[1];
  }
  const Tensor heads =
      ops::attention(q, k, v, rule(rows, memory_rows, false, context), context.tape);
  return out_proj(heads, context.tape);  // [N, D]
}

}  // namespace weft::nn
