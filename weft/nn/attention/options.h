// What an attention is made of, and what its kinds have in common.
#ifndef WEFT_NN_ATTENTION_OPTIONS_H_
#define WEFT_NN_ATTENTION_OPTIONS_H_

#include <string>
#include <variant>

#include "weft/nn/attention/prior.h"
#include "weft/nn/context.h"
#include "weft/nn/position/position.h"

namespace weft::nn {

// Weights from the scores q.k of what is in reach.
struct ScoredAttention {
  ops::Reach reach = {};
};

// Self-attention that never forms weights, of cost linear in the length and with a state of one
// size in decoding (Katharopoulos et al. 2020, arXiv 2006.16236): with elu(x) + 1 on queries and
// keys and weights divided by their sum, or bare, Q (K^T V) over the number of keys.
struct LinearAttention {
  bool is_bare = false;
};

using AttentionKind = std::variant<ScoredAttention, LinearAttention>;

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
  AttentionKind kind = {};           // of self-attention
  AttentionPriorOptions prior = {};  // of cross-attention

  int64_t keys() const { return (key_heads == 0 ? heads : key_heads) * key_size; }      // G*K
  int64_t values() const { return (key_heads == 0 ? heads : key_heads) * value_size; }  // G*Kv
  // What self-attention sees.
  ops::Reach reach() const {
    const auto* scored = std::get_if<ScoredAttention>(&kind);
    return scored != nullptr ? scored->reach : ops::Reach{};
  }
  // The same for cross-attention, which always sees all.
  AttentionOptions cross() const {
    AttentionOptions out = *this;
    out.kind = {};
    return out;
  }
};

// "softmax", "relu", "relu2", "sigmoid", "sparsemax" or "entmax15"; throws OptionError for another.
ops::ScoreFunction make_score_function(std::string_view name);

// The rows of a self-attention.
struct SelfRows {
  const ops::RowsPtr& rows;
  const AttentionPosition& position;
  bool causal = false;
};

// The rule of full attention from rows to rows.
ops::AttentionRule full_rule(const AttentionOptions& options, const ops::RowsPtr& queries,
                             const ops::RowsPtr& keys, Context& context);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_OPTIONS_H_
