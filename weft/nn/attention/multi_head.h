// Multi-head attention with its projections (Vaswani et al. 2017, section 3.2).
#ifndef WEFT_NN_ATTENTION_MULTI_HEAD_H_
#define WEFT_NN_ATTENTION_MULTI_HEAD_H_

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/prior.h"
#include "weft/nn/context.h"
#include "weft/nn/linear.h"
#include "weft/nn/position/position.h"

namespace weft::nn {

// Weights from the scores q.k of what is in reach; the reach is of self-attention.
struct ScoredAttention {
  ops::ScoreFunction function = ops::ScoreFunction::kSoftmax;
  ops::Reach reach = {};
};

// Self-attention that never forms weights, of cost linear in the length and with a state of one
// size in decoding (Katharopoulos et al. 2020, arXiv 2006.16236): with elu(x) + 1 on queries and
// keys and weights divided by their sum, or bare, Q (K^T V) over the number of keys.
struct LinearAttention {
  bool is_bare = false;
};

struct AttentionOptions {
  int64_t features = 512;   // D
  int64_t heads = 8;        // H
  int64_t key_heads = 0;    // G, which divides H; 0: as many as heads
  int64_t key_size = 64;    // K
  int64_t value_size = 64;  // Kv
  bool bias = true;
  double scale = 0;    // of the scores; 0 means 1 / sqrt(K)
  double dropout = 0;  // on the weights
  std::variant<ScoredAttention, LinearAttention> kind = {};
  AttentionPriorOptions prior = {};  // of cross-attention

  // Of cross-attention too, which is never linear.
  ScoredAttention scored() const {
    const auto* own = std::get_if<ScoredAttention>(&kind);
    return own != nullptr ? *own : ScoredAttention{};
  }
  int64_t keys() const { return (key_heads == 0 ? heads : key_heads) * key_size; }      // G*K
  int64_t values() const { return (key_heads == 0 ? heads : key_heads) * value_size; }  // G*Kv
};

// "softmax", "relu", "relu2", "sigmoid", "sparsemax" or "entmax15"; throws OptionError for another.
ops::ScoreFunction make_score_function(std::string_view name);

// The rows of a self-attention.
struct SelfRows {
  const ops::RowsPtr& rows;
  const AttentionPosition& position;
  bool causal = false;
};

struct MultiHeadAttention {
  AttentionOptions options;
  AttentionPrior prior;
  Parameter q_weight, k_weight, v_weight;  // [H*K, D], [G*K, D], [G*Kv, D]: neighbours
  Parameter q_bias, k_bias, v_bias;        // [1, H*K], [1, G*K], [1, G*Kv]: neighbours
  Linear out_proj;                         // [D, H*Kv]

  MultiHeadAttention() = default;
  explicit MultiHeadAttention(const AttentionOptions& wanted);

  // Each row of x [N, D] attends to the rows of its own sentence, up to itself where `causal`; with
  // a cache, to the steps cached. [N, D]
  Tensor self(const Tensor& x, const SelfRows& rows, Context& context) const;
  // Each row of x [N, D] attends to its sentence's rows of memory [M, D]; with a cache, to what it
  // remembers of them. [N, D]
  Tensor cross(const Tensor& x, const ops::RowsPtr& rows, const Tensor& memory,
               const ops::RowsPtr& memory_rows, Context& context) const;

  // Keys and values of the memory [M, D] of sentences that enter the cache.
  void remember(const Tensor& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("q_proj.weight", q_weight);
    v("k_proj.weight", k_weight);
    v("v_proj.weight", v_weight);
    v("q_proj.bias", q_bias);
    v("k_proj.bias", k_bias);
    v("v_proj.bias", v_bias);
    v("out_proj", out_proj);
  }

 private:
  ops::AttentionRule rule(const ops::RowsPtr& queries, const ops::RowsPtr& keys,
                          Context& context) const;
  std::pair<Tensor, Tensor> keys_and_values(const Tensor& memory, autograd::Tape* tape) const;
  Tensor linear_self(const Tensor& q, const Tensor& k, const Tensor& v, const SelfRows& of,
                     Context& context) const;
  Tensor cached(const Tensor& q, const KvRows& kept, const SeenRows& seen,
                const kernels::CachedAttention& how) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_MULTI_HEAD_H_
