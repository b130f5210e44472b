#include "weft/nn/attention/scored.h"

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/options.h"

namespace weft::nn {

Tensor ScoredAttention::operator()(const SelfInput& in, Context& context) const {
  if (context.cache != nullptr && in.of.causal) {
    context.cache->write_self(in.k, in.v);
    kernels::CachedAttention how = cached_rule(in.options);
    how.pattern = reach;
    how.bias = in.of.position.bias.view();
    return cached_attention(in.q, context.cache->layer().self, context.cache->self(), how);
  }
  ops::AttentionRule how = full_rule(in.options, in.of.rows, in.of.rows, context);
  how.causal = in.of.causal;
  how.pattern = reach;
  how.bias = in.of.position.bias;
  return ops::attention(in.q, in.k, in.v, how, context.tape);
}

}  // namespace weft::nn
