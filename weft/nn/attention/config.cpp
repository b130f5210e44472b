#include "weft/nn/attention/config.h"

namespace weft::nn {

AttentionConfig AttentionConfig::without(const std::vector<int64_t>& pruned_heads) const {
  if (pruned_heads.empty()) return *this;
  AttentionConfig out = *this;
  out.pruned = pruned_heads;
  out.heads = heads - std::ssize(pruned_heads);
  out.prior = prior.with_heads(out.heads);
  return out;
}

kernels::CachedAttention cached_params(const AttentionConfig& config) {
  kernels::CachedAttention out;
  out.heads = config.heads;
  out.key_heads = config.key_heads;
  out.scale = config.scale;
  out.function = config.function;
  out.soft_cap = config.soft_cap;
  return out;
}

ops::AttentionParams full_params(const AttentionConfig& config, const ops::LayoutPtr& queries,
                                 const ops::LayoutPtr& keys, const Context& context) {
  return {.queries = queries,
          .keys = keys,
          .heads = config.heads,
          .scale = config.scale,
          .dropout = context.dropout({config.dropout, config.dropout_stream}, queries),
          .key_heads = config.key_heads,
          .function = config.function,
          .soft_cap = config.soft_cap};
}

}  // namespace weft::nn
