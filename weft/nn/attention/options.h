// What an attention is made of, and what its kinds have in common.
#ifndef WEFT_NN_ATTENTION_OPTIONS_H_
#define WEFT_NN_ATTENTION_OPTIONS_H_

#include <string>
#include <variant>

#include "weft/nn/attention/clustered.h"
#include "weft/nn/attention/linear_attention.h"
#include "weft/nn/attention/linformer.h"
#include "weft/nn/attention/prior.h"
#include "weft/nn/attention/scored.h"
#include "weft/nn/attention/sinkhorn.h"
#include "weft/nn/attention/synthesizer.h"

namespace weft::nn {

using AttentionKind =
    std::variant<ScoredAttention, LinearAttention, LinformerAttention, DenseSynthesizer,
                 RandomSynthesizer, ClusteredAttention, SinkhornAttention>;

struct AttentionOptions {
  int64_t features = 512;   // D
  int64_t heads = 8;        // H
  int64_t key_heads = 0;    // G, which divides H; 0: as many as heads
  int64_t key_size = 64;    // K
  int64_t value_size = 64;  // Kv
  bool bias = true;
  double scale = 0;    // of the scores; 0 means 1 / sqrt(K)
  double dropout = 0;  // on the weights
  ops::ScoreFunction function = ops::ScoreFunction::kSoftmax;
  std::string qk_norm = "none";  // or rms, l2
  double qk_norm_epsilon = 1e-5;
  AttentionKind kind = {};    // of self-attention, with the parameters that it has
  AttentionPrior prior = {};  // of cross-attention

  int64_t groups() const { return key_heads == 0 ? heads : key_heads; }  // G
  int64_t query_width() const { return heads * key_size; }               // H*K
  int64_t key_width() const { return groups() * key_size; }              // G*K
  int64_t value_width() const { return groups() * value_size; }          // G*Kv
  // The same for cross-attention, which always sees all.
  AttentionOptions cross() const {
    AttentionOptions out = *this;
    out.kind = {};
    return out;
  }
};

// "softmax", "relu", "relu2", "sigmoid", "sparsemax" or "entmax15"; throws OptionError for another.
ops::ScoreFunction make_score_function(std::string_view name);

// What the options say of attention to cached rows.
kernels::CachedAttention cached_rule(const AttentionOptions& options);

// The rule of full attention from rows to rows.
ops::AttentionRule full_rule(const AttentionOptions& options, const ops::RowsPtr& queries,
                             const ops::RowsPtr& keys, Context& context);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_OPTIONS_H_
