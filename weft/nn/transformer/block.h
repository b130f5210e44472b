// A Transformer block (Vaswani et al. 2017, section 3.1), of an encoder or a decoder.
#ifndef WEFT_NN_TRANSFORMER_BLOCK_H_
#define WEFT_NN_TRANSFORMER_BLOCK_H_

#include <functional>
#include <optional>
#include <vector>

#include "weft/nn/attention/multi_head.h"
#include "weft/nn/feed_forward.h"
#include "weft/nn/memory.h"
#include "weft/nn/norm.h"

namespace weft::nn {

struct BlockOptions {
  AttentionConfig attention = {};
  FeedForwardOptions feed_forward = {};
  NormOptions norm = {};
  double dropout = 0.1;  // on each sublayer's output
  // DeepNorm (Wang et al. 2022, arXiv 2203.00555): factor on the residual, and on the initial
  // values of the feed-forward network and of the attention's values and outputs.
  double residual_scale = 1;
  double init_gain = 1;
  bool has_self_norm = true;  // before self-attention
  bool has_cross_attention = false;
  bool has_drop_path = false;
  // Each block normalises the memory with its own norm before cross-attention (norm_y of CroCo,
  // Weinzaepfel et al. 2022, arXiv 2210.10716).
  bool has_memory_norm = false;
  // Indices, from 0, of pruned heads of self-attention and cross-attention.
  std::vector<int64_t> pruned_self = {}, pruned_cross = {};

  Norm make_norm() const { return nn::make_norm(norm, attention.features); }
  Residual make_residual(RngStreams& streams) const;
};

// Self-attention, cross-attention where there is a memory to attend to, and a feed-forward network,
// each with its residual connection. Parameters have the names of Transformers' Marian.
struct Block {
  Residual self_residual;
  MultiHeadAttention self_attn;
  Residual cross_residual;
  std::optional<MultiHeadAttention> encoder_attn;
  Norm memory_norm;  // where there is one
  Residual ffn_residual;
  FeedForward feed_forward;

  // Its dropouts have the random streams from 0 on.
  explicit Block(const BlockOptions& options) : Block(options, RngStreams()) {}

  // The residual stream x [N, D] after the block. Without cross-attention `memory` is not read.
  Tensor forward(Tensor x, const SelfLayout& self, const Memory& memory,
                 const Context& context) const;
  // The same with cross-attention to the memory in a cache.
  Tensor forward(Tensor x, const SelfLayout& self, const KvCache& memory,
                 const Context& context) const;
  // The same for the rows of prompts (prefill) or of one decoding step, in the cache's current
  // pass.
  Tensor prefill(Tensor x, const SelfLayout& self, KvCache& cache, const Context& context) const;
  Tensor step(Tensor x, const SelfLayout& self, KvCache& cache, const Context& context) const;

  // Writes what cross-attention reads of the memory into the cache of a layer.
  void prefill_cross(const Memory& memory, KvCache& cache, size_t layer) const;

  // How many dropouts it has.
  uint32_t dropouts() const { return dropouts_; }

  template <class V>
  void fields(V& v) {
    v("self_attn", self_attn);
    v("self_attn_layer_norm", self_residual.norm);
    v("self_attn_output_norm", self_residual.output_norm);
    if (encoder_attn) {
      v("encoder_attn", *encoder_attn);
      v("encoder_attn_layer_norm", cross_residual.norm);
      v("encoder_attn_output_norm", cross_residual.output_norm);
      v("memory_layer_norm", memory_norm);
    }
    feed_forward.fields(v);
    v("final_layer_norm", ffn_residual.norm);
    v("final_output_norm", ffn_residual.output_norm);
  }

 private:
  Block(const BlockOptions& options, RngStreams streams);
  // forward() that keeps only its inputs and runs again in backward (activation checkpointing).
  Tensor recomputed(const Tensor& x, const SelfLayout& self, const Memory& memory,
                    const Context& context) const;
  // What follows self-attention, with the memory in a cache.
  Tensor after_self(Tensor x, const ops::LayoutPtr& rows, const KvCache& cache,
                    const Context& context) const;

  uint32_t dropouts_ = 0;
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_BLOCK_H_
