// What an attention is built from, and what its kinds have in common.
#ifndef WEFT_NN_ATTENTION_CONFIG_H_
#define WEFT_NN_ATTENTION_CONFIG_H_

#include <iterator>
#include <vector>

#include "weft/nn/attention/options.h"

namespace weft::nn {

struct AttentionConfig {
  int64_t features = 512;   // D
  int64_t heads = 8;        // H, without pruned ones
  int64_t key_heads = 0;    // G, which divides H; 0: as many as heads
  int64_t key_size = 64;    // K
  int64_t value_size = 64;  // Kv
  bool bias = true;
  bool query_bias = true, key_bias = true, value_bias = true, output_bias = true;  // where `bias`
  double scale = 0;             // of the scores; 0 means 1 / sqrt(K)
  double dropout = 0;           // of attention probabilities
  uint32_t dropout_stream = 0;  // RNG stream of the first of its dropouts
  double soft_cap = 0;          // of scores; 0: none
  ops::ScoreFunction function = ops::ScoreFunction::kSoftmax;
  QkNormKinds qk_norm = {};
  double qk_norm_epsilon = 1e-5;
  AttentionKind kind = {};           // of self-attention, with the parameters that it has
  bool is_local = false;             // rotates as AttentionPosition says of local layers
  AttentionPrior prior = {};         // of cross-attention
  std::vector<int64_t> pruned = {};  // heads, by their numbers from 0 among all, that it lacks

  int64_t groups() const { return key_heads == 0 ? heads : key_heads; }  // G
  int64_t query_width() const { return heads * key_size; }               // H*K
  int64_t key_width() const { return groups() * key_size; }              // G*K
  int64_t value_width() const { return groups() * value_size; }          // G*Kv
  int64_t all_heads() const { return heads + std::ssize(pruned); }
  // This config without the pruned heads. Requires as many key heads as heads.
  AttentionConfig without(const std::vector<int64_t>& pruned_heads) const;
  // The same with full attention, as cross-attention always is.
  AttentionConfig full() const {
    AttentionConfig out = *this;
    out.kind = {};
    out.is_local = false;
    return out;
  }
};

// What the config says of attention to cached rows.
kernels::CachedAttention cached_params(const AttentionConfig& config);

// The parameters of full attention from rows to rows.
ops::AttentionParams full_params(const AttentionConfig& config, const ops::LayoutPtr& queries,
                                 const ops::LayoutPtr& keys, const Context& context);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_CONFIG_H_
