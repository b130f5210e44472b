#include "weft/nn/attention/kinds/linear_attention.h"

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"
#include "weft/ops/activation.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/scale.h"

namespace weft::nn {

LinearSteps LinearAttention::features(const SelfInput& in, autograd::Tape* tape) const {
  LinearSteps out{.v = in.v, .heads = in.config.heads, .by_weight = !is_unnormalised};
  const auto positive = ops::Activation::kEluPlusOne;
  out.q = is_unnormalised ? ops::scale(in.q, in.config.scale, tape)
                          : ops::activate(positive, in.q, tape);
  out.k = is_unnormalised ? in.k : ops::activate(positive, in.k, tape);
  return out;
}

Tensor LinearAttention::forward(const SelfInput& in, const Context& context) const {
  const LinearSteps rows = features(in, context.tape);
  const ops::LinearAttentionParams params{.queries = in.self.rows,
                                          .keys = in.self.rows,
                                          .heads = rows.heads,
                                          .causal = in.self.causal,
                                          .by_weight = rows.by_weight};
  const AttentionKey key = key_of(context, AttentionRole::kSelf);
  if (is_observed(context, key)) {
    const auto weights = [&](const ops::SequenceHead& which) {
      const Tensor w = ops::linear_attention_weights(rows.q, rows.k, params, which, nullptr);
      return w.dtype() == sum_type(w.dtype()) ? w : w.to(sum_type(w.dtype()));
    };
    context.observer->see(key, ObservedFunction(in.self.rows->sequences(), rows.heads, weights),
                          context.tape);
  }
  return ops::linear_attention(rows.q, rows.k, in.v, params, context.tape);
}

Tensor LinearAttention::prefill(const SelfInput& in, KvCache& cache, const Context& context) const {
  return features(in, nullptr).prefill(cache, context);
}

Tensor LinearAttention::step(const SelfInput& in, KvCache& cache, const Context& context) const {
  return features(in, nullptr).step(cache, context);
}

}  // namespace weft::nn
