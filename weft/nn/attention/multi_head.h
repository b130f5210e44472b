// Multi-head attention with its projections (Vaswani et al. 2017, section 3.2).
#ifndef WEFT_NN_ATTENTION_MULTI_HEAD_H_
#define WEFT_NN_ATTENTION_MULTI_HEAD_H_

#include <utility>
#include <vector>

#include "weft/nn/attention/config.h"
#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/context.h"
#include "weft/nn/linear.h"
#include "weft/ops/rotary.h"

namespace weft::nn {

// The N rows that attend to a source and the memory [M, D] of M rows that they attend to. Either
// may have rotary positions of its own rows (CroCo v2, Weinzaepfel et al. 2023, arXiv 2211.10408).
struct CrossLayout {
  const ops::LayoutPtr& rows;
  const Tensor& memory;
  const ops::LayoutPtr& memory_rows;
  std::optional<ops::RotaryParams> query_rotary = {}, key_rotary = {};
};

// The same of a pass with a cache, whose keys are rotated already.
struct CachedCross {
  const ops::LayoutPtr& rows;
  const KvCache& cache;
  std::optional<ops::RotaryParams> query_rotary = {};
};

struct MultiHeadAttention {
  AttentionConfig config;
  // Contiguous, for one product; queries and keys as far as the kind has them.
  Parameter q_weight, k_weight, v_weight;  // [H*K, D], [G*K, D], [G*Kv, D]
  Parameter q_bias, k_bias, v_bias;        // [1, H*K], [1, G*K], [1, G*Kv]
  Linear out_proj;                         // [D, H*Kv]
  QkNorm qk_norm;

  MultiHeadAttention() = default;
  MultiHeadAttention(const AttentionConfig& wanted, RngStreams& streams);

  // Self-attention: each row of x [N, D] attends to the rows of its own sequence, up to itself
  // where `causal`, [N, D]; of a prompt or a step, to those cached. See self_input.h.
  Tensor forward(const Tensor& x, const SelfLayout& self, const Context& context) const;
  Tensor prefill(const Tensor& x, const SelfLayout& self, KvCache& cache,
                 const Context& context) const;
  Tensor step(const Tensor& x, const SelfLayout& self, KvCache& cache,
              const Context& context) const;

  // Cross-attention: each row of x [N, D] attends to its sequence's rows of the memory. [N, D]
  Tensor cross(const Tensor& x, const CrossLayout& rows, const Context& context) const;
  // The same with the keys and values that prefill_cross() wrote.
  Tensor cross(const Tensor& x, const CachedCross& rows, const Context& context) const;
  // Writes keys and values of the memory [M, D] of the sequences that were added to the cache last.
  void prefill_cross(const Tensor& memory, KvCache& cache, size_t layer,
                     const std::optional<ops::RotaryParams>& rotary = {}) const;

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
                                            const std::optional<ops::RotaryParams>& rotary,
                                            autograd::Tape* tape) const;
  // q, k and v of the rows, as far as the kind has them.
  SelfInput project(const Tensor& x, const SelfLayout& self, const Context& context) const;
  Tensor cross_queries(const Tensor& x, const std::optional<ops::RotaryParams>& rotary,
                       autograd::Tape* tape) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_MULTI_HEAD_H_
