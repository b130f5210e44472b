#include "weft/nn/attention/dot_product.h"

#include <algorithm>

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"

namespace weft::nn {
namespace {

// The pattern over these rows. All examples have the same grid.
ops::AttentionPattern pattern_over(const ops::Layout& rows, const ops::AttentionPattern& pattern) {
  const bool is_window = pattern.is_bounded() && pattern.block == 1 && pattern.global == 0;
  if (!is_window || rows.grid.empty()) return pattern;
  const int32_t length = rows.segments.length(0);
  int64_t height = 0, width = 0;
  for (int32_t i = 0; i < length; ++i) {
    height = std::max<int64_t>(height, rows.grid[2 * i] + 1);
    width = std::max<int64_t>(width, rows.grid[2 * i + 1] + 1);
  }
  return {
      .window = pattern.window, .block = width, .global = length - height * width, .is_grid = true};
}

}  // namespace

Tensor DotProductAttention::forward(const SelfInput& in, const Context& context) const {
  ops::AttentionParams params = full_params(in.config, in.self.rows, in.self.rows, context);
  params.causal = in.self.causal;
  params.pattern = pattern_over(*in.self.rows, pattern);
  params.bias = in.self.position.bias;
  show_to_observer(in.q, in.k, params, key_of(context, AttentionRole::kSelf), context);
  return ops::attention(in.q, in.k, in.v, params, context.tape);
}

Tensor DotProductAttention::attend_to_cache(const SelfInput& in, KvCache& cache,
                                            const Context& context) const {
  const auto layer = static_cast<size_t>(context.scope.layer);
  const AttentionConfig& o = in.config;
  const ops::PositionBias& bias = in.self.position.bias;
  cache.write_self(layer, in.k, in.v, o.groups());
  kernels::CachedAttention call = cached_params(o);
  call.pattern = pattern;
  call.bias = bias.view();
  return attend({in.q, cache.layer(layer).self, cache.self(layer), o.heads * o.value_size, call,
                 cache.first_positions(layer)},
                key_of(context, AttentionRole::kSelf), context);
}

Tensor DotProductAttention::prefill(const SelfInput& in, KvCache& cache,
                                    const Context& context) const {
  return attend_to_cache(in, cache, context);
}

Tensor DotProductAttention::step(const SelfInput& in, KvCache& cache,
                                 const Context& context) const {
  return attend_to_cache(in, cache, context);
}

}  // namespace weft::nn
