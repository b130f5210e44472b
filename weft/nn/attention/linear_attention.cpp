#include "weft/nn/attention/linear_attention.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/linear_attention.h"
#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/options.h"
#include "weft/ops/activation.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/scale.h"

namespace weft::nn {

Tensor LinearAttention::operator()(const SelfInput& in, Context& context) const {
  const AttentionOptions& o = in.options;
  const auto positive = ops::Activation::kEluPlusOne;
  const Tensor queries = is_bare ? ops::scale(in.q, o.scale, context.tape)
                                 : ops::activate(positive, in.q, context.tape);
  const Tensor keys = is_bare ? in.k : ops::activate(positive, in.k, context.tape);
  if (context.cache != nullptr && in.of.causal) {
    Tensor state =
        context.cache->continue_state(o.heads * o.key_size * (o.value_size + 1), in.q.dtype());
    Tensor out = Tensor::empty(in.v.shape(), in.v.dtype());
    backend_of(in.q)(kernels::LinearAttentionStep{.q = queries,
                                                  .k = keys,
                                                  .v = in.v,
                                                  .out = out,
                                                  .state = state,
                                                  .position = in.of.rows->position.data(),
                                                  .heads = o.heads,
                                                  .by_weight = !is_bare});
    context.cache->keep_state(std::move(state));
    return out;  // [W, H*Kv]
  }
  return ops::linear_attention(queries, keys, in.v,
                               {.queries = in.of.rows,
                                .keys = in.of.rows,
                                .heads = o.heads,
                                .causal = in.of.causal,
                                .by_weight = !is_bare,
                                .trace = context.trace},
                               context.tape);
}

}  // namespace weft::nn
