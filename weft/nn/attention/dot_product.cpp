#include "weft/nn/attention/dot_product.h"

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"

namespace weft::nn {

Tensor DotProductAttention::operator()(const SelfInput& in, const Context& context) const {
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  const ops::PositionBias& bias = in.self.position.bias;
  if (context.cache != nullptr && in.self.causal) {
    KvCache& cache = *context.cache;
    const auto layer = static_cast<size_t>(context.scope.layer);
    cache.write_self(layer, in.k, in.v);
    kernels::CachedAttention call = cached_rule(in.config);
    call.pattern = pattern;
    call.bias = bias.view();
    return attend({in.q, cache.layer(layer).self, cache.self(), call, bias}, key, context);
  }
  ops::AttentionRule rule = full_rule(in.config, in.self.rows, in.self.rows, context);
  rule.causal = in.self.causal;
  rule.pattern = pattern;
  rule.bias = bias;
  return attend({in.q, in.k, in.v}, rule, key, context);
}

}  // namespace weft::nn
