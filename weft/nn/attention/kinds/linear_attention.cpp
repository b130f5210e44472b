#include "weft/nn/attention/kinds/linear_attention.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/linear_attention.h"
#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"
#include "weft/ops/activation.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/scale.h"

namespace weft::nn {

Tensor LinearAttention::operator()(const SelfInput& in, const Context& context) const {
  const AttentionConfig& o = in.config;
  const auto positive = ops::Activation::kEluPlusOne;
  const Tensor queries = is_bare ? ops::scale(in.q, o.scale, context.tape)
                                 : ops::activate(positive, in.q, context.tape);
  const Tensor keys = is_bare ? in.k : ops::activate(positive, in.k, context.tape);
  if (context.cache != nullptr && in.self.causal) {
    const auto layer = static_cast<size_t>(context.scope.layer);
    Tensor state = context.cache->continue_state(layer, o.heads * o.key_size * (o.value_size + 1),
                                                 in.q.dtype());
    Tensor out = Tensor::empty(in.v.shape(), in.v.dtype());
    backend_of(in.q)(kernels::LinearAttentionStep{.q = queries,
                                                  .k = keys,
                                                  .v = in.v,
                                                  .out = out,
                                                  .state = state,
                                                  .position = in.self.rows->position.data(),
                                                  .heads = o.heads,
                                                  .by_weight = !is_bare});
    context.cache->keep_state(layer, std::move(state));
    return out;  // [W, H*Kv]
  }
  const ops::LinearAttentionRule rule{.queries = in.self.rows,
                                      .keys = in.self.rows,
                                      .heads = o.heads,
                                      .causal = in.self.causal,
                                      .by_weight = !is_bare};
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  if (is_observed(context, key)) {
    const auto weights = [&](const ops::SentenceHead& which) {
      const Tensor w = ops::linear_attention_weights(queries, keys, rule, which, nullptr);
      return w.dtype() == sum_type(w.dtype()) ? w : w.to(sum_type(w.dtype()));
    };
    context.observer->see(key, ObservedFunction(in.self.rows->sentences(), o.heads, weights),
                          context.tape);
  }
  return ops::linear_attention(queries, keys, in.v, rule, context.tape);
}

}  // namespace weft::nn
