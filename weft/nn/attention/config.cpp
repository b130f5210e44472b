#include "weft/nn/attention/config.h"

namespace weft::nn {

kernels::CachedAttention cached_rule(const AttentionConfig& config) {
  kernels::CachedAttention out;
  out.heads = config.heads;
  out.key_heads = config.key_heads;
  out.scale = config.scale;
  out.function = config.function;
  return out;
}

ops::AttentionRule full_rule(const AttentionConfig& config, const ops::RowsPtr& queries,
                             const ops::RowsPtr& keys, const Context& context) {
  return {.queries = queries,
          .keys = keys,
          .heads = config.heads,
          .scale = config.scale,
          .dropout = context.dropout({config.dropout, config.dropout_site}, queries),
          .key_heads = config.key_heads,
          .function = config.function};
}

}  // namespace weft::nn
