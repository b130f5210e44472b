// Attention by scores of queries and keys (Vaswani et al. 2017, section 3.2.1).
#ifndef WEFT_NN_ATTENTION_SCORED_H_
#define WEFT_NN_ATTENTION_SCORED_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"

namespace weft::nn {

// Weights from the scores q.k of what is in reach; where rows see none after themselves and there
// is a cache, of the steps cached.
struct ScoredAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;

  ops::AttentionPattern reach = {};

  Tensor operator()(const SelfInput& in, Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V&) {}
};

struct FullAttentionOptions {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kHelp = "all";
  static constexpr AttentionLimits kLimits = {};

  ScoredAttention make(const AttentionSizes&) const { return {}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_SCORED_H_
