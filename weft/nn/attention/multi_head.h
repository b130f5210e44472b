// Multi-head attention with its projections (Vaswani et al. 2017, section 3.2).
#ifndef WEFT_NN_ATTENTION_MULTI_HEAD_H_
#define WEFT_NN_ATTENTION_MULTI_HEAD_H_

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/context.h"
#include "weft/nn/linear.h"
#include "weft/ops/rotary.h"

namespace weft::nn {

// The two sides of attention to a source: N rows and the memory [M, D] of M rows. Either may have
// rotary positions of its own rows (CroCo v2, Weinzaepfel et al. 2023, arXiv 2211.10408). With a
// cache `key_rotary` is not read: remember() has applied it.
struct CrossRows {
  const ops::RowsPtr& rows;
  const Tensor& memory;
  const ops::RowsPtr& memory_rows;
  std::optional<ops::RotaryRule> query_rotary = {}, key_rotary = {};
};

struct MultiHeadAttention {
  AttentionConfig config;
  // Contiguous, for one product; queries and keys as far as the kind has them.
  Parameter q_weight, k_weight, v_weight;  // [H*K, D], [G*K, D], [G*Kv, D]
  Parameter q_bias, k_bias, v_bias;        // [1, H*K], [1, G*K], [1, G*Kv]
  Linear out_proj;                         // [D, H*Kv]
  QkNorm qk_norm;

  MultiHeadAttention() = default;
  MultiHeadAttention(const AttentionConfig& wanted, DropoutSites& sites);

  // Each row of x [N, D] attends to the rows of its own sentence, up to itself where `causal`;
  // where that is so and there is a cache, to the steps cached. [N, D]
  Tensor self(const Tensor& x, const SelfRows& self, const Context& context) const;
  // Each row of x [N, D] attends to its sentence's rows of the memory; with a cache, to what
  // remember() wrote of them. [N, D]
  Tensor cross(const Tensor& x, const CrossRows& sides, const Context& context) const;

  // Writes keys and values of the memory [M, D] of the sentences that entered the cache last.
  void remember(const Tensor& memory, KvCache& cache, size_t layer,
                const std::optional<ops::RotaryRule>& rotary = {}) const;

  template <class V>
  void fields(V& v) {
    v("q_proj.weight", q_weight);
    v("k_proj.weight", k_weight);
    v("v_proj.weight", v_weight);
    v("q_proj.bias", q_bias);
    v("k_proj.bias", k_bias);
    v("v_proj.bias", v_bias);
    v("out_proj", out_proj);
    qk_norm.fields(v);
    config.kind.fields(v);
  }

 private:
  std::pair<Tensor, Tensor> keys_and_values(const Tensor& memory,
                                            const std::optional<ops::RotaryRule>& rotary,
                                            autograd::Tape* tape) const;
  // q, k and v of the rows, as far as the kind has them.
  void project(SelfInput& in, autograd::Tape* tape) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_MULTI_HEAD_H_
