#include "weft/nn/attention/dot_product.h"

#include <algorithm>

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/observed.h"

namespace weft::nn {
namespace {

// The pattern over these rows. All examples have the same grid.
ops::AttentionPattern pattern_over(const ops::Rows& rows, const ops::AttentionPattern& pattern) {
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
  rule.pattern = pattern_over(*in.self.rows, pattern);
  rule.bias = bias;
  return attend({in.q, in.k, in.v}, rule, key, context);
}

}  // namespace weft::nn
