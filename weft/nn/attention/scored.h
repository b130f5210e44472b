// Attention by scores of queries and keys (Vaswani et al. 2017, section 3.2.1).
#ifndef WEFT_NN_ATTENTION_SCORED_H_
#define WEFT_NN_ATTENTION_SCORED_H_

#include "weft/nn/attention/self_input.h"

namespace weft::nn {

struct KvRows;
struct SeenRows;

// Weights from the scores q.k of what is in reach; with a cache, of the steps cached.
struct ScoredAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;

  ops::Reach reach = {};

  Tensor operator()(const SelfInput& in, Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V&) {}
};

// The same over cached rows; `how` says what is not the layer's own: reach, bias, where weights go.
Tensor cached_attention(const AttentionOptions& options, const Tensor& q, const KvRows& kept,
                        const SeenRows& seen, const kernels::CachedAttention& how);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_SCORED_H_
