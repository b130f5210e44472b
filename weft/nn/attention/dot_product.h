// Dot-product attention (Vaswani et al. 2017, section 3.2.1).
#ifndef WEFT_NN_ATTENTION_DOT_PRODUCT_H_
#define WEFT_NN_ATTENTION_DOT_PRODUCT_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"

namespace weft::nn {

// Probabilities from the scores q.k of the keys that the pattern allows. A window over rows that
// have places in a grid is a square of the grid; rows before those of the grid, such as a class
// token, see all and are seen by all.
struct DotProductAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;
  static int64_t dropout_streams(int64_t heads) { return heads; }

  ops::AttentionPattern pattern = {};

  Tensor forward(const SelfInput& in, const Context& context) const;                  // [N, H*Kv]
  Tensor prefill(const SelfInput& in, KvCache& cache, const Context& context) const;  // [N, H*Kv]
  Tensor step(const SelfInput& in, KvCache& cache, const Context& context) const;     // [W, H*Kv]
  template <class V>
  void fields(V&) {}

 private:
  Tensor attend_to_cache(const SelfInput& in, KvCache& cache, const Context& context) const;
};

struct FullAttentionOptions {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kHelp = "all";
  static constexpr AttentionLimits kLimits = {};

  DotProductAttention make(const AttentionDims&) const { return {}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_DOT_PRODUCT_H_
