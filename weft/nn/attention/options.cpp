#include "weft/nn/attention/options.h"

namespace weft::nn {

ops::ScoreFunction make_score_function(std::string_view name) {
  using ops::ScoreFunction;
  const std::pair<std::string_view, ScoreFunction> all[] = {
      {"softmax", ScoreFunction::kSoftmax},     {"relu", ScoreFunction::kRelu},
      {"relu2", ScoreFunction::kSquaredRelu},   {"sigmoid", ScoreFunction::kSigmoid},
      {"sparsemax", ScoreFunction::kSparsemax}, {"entmax15", ScoreFunction::kEntmax15}};
  for (const auto& [known, function] : all) {
    if (known == name) return function;
  }
  fail<OptionError>("attention-activation",
                    "expected softmax, relu, relu2, sigmoid, sparsemax or entmax15, got '{}'",
                    name);
}

kernels::CachedAttention cached_rule(const AttentionOptions& options) {
  kernels::CachedAttention out;
  out.heads = options.heads;
  out.key_heads = options.key_heads;
  out.scale = options.scale;
  out.function = options.function;
  return out;
}

ops::AttentionRule full_rule(const AttentionOptions& options, const ops::RowsPtr& queries,
                             const ops::RowsPtr& keys, Context& context) {
  const auto heads = static_cast<uint32_t>(options.heads);
  return {.queries = queries,
          .keys = keys,
          .heads = options.heads,
          .scale = options.scale,
          .dropout = context.dropout(options.dropout, queries, heads),
          .trace = context.trace,
          .key_heads = options.key_heads,
          .function = options.function};
}

}  // namespace weft::nn
