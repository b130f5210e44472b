#include "weft/nn/attention/scored.h"

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/options.h"

namespace weft::nn {

Tensor cached_attention(const AttentionOptions& options, const Tensor& q, const KvRows& kept,
                        const SeenRows& seen, const kernels::CachedAttention& how) {
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

Tensor ScoredAttention::operator()(const SelfInput& in, Context& context) const {
  if (context.cache != nullptr && in.of.causal) {
    context.cache->write_self(in.k, in.v);
    kernels::CachedAttention how;
    how.reach = reach;
    how.bias = in.of.position.bias.view();
    return cached_attention(in.options, in.q, context.cache->layer().self, context.cache->self(),
                            how);
  }
  ops::AttentionRule how = full_rule(in.options, in.of.rows, in.of.rows, context);
  how.causal = in.of.causal;
  how.reach = reach;
  how.bias = in.of.position.bias;
  return ops::attention(in.q, in.k, in.v, how, context.tape);
}

}  // namespace weft::nn
