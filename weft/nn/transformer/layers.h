// Encoder and decoder layers and their stacks (Vaswani et al. 2017, section 3.1).
#ifndef WEFT_NN_TRANSFORMER_LAYERS_H_
#define WEFT_NN_TRANSFORMER_LAYERS_H_

#include <vector>

#include "weft/nn/attention/multi_head.h"
#include "weft/nn/feed_forward.h"
#include "weft/nn/norm.h"

namespace weft::nn {

struct LayerOptions {
  AttentionOptions attention;
  FeedForwardOptions feed_forward;
  NormPlace norm;
  double norm_epsilon = 1e-5;
  double dropout = 0.1;  // on what each sublayer adds
};

struct EncoderLayer {
  MultiHeadAttention self_attn;
  LayerNorm self_attn_layer_norm;
  FeedForward feed_forward;
  LayerNorm final_layer_norm;
  NormPlace norm;
  double dropout = 0;

  explicit EncoderLayer(const LayerOptions& options);
  Tensor operator()(const Tensor& x, const SelfRows& rows, Context& context) const;  // [N, D]
  template <class V>
  void fields(V& v) {
    v("self_attn", self_attn);
    v("self_attn_layer_norm", self_attn_layer_norm);
    feed_forward.fields(v);
    v("final_layer_norm", final_layer_norm);
  }
};

// The encoder's side of a batch, as the decoder's cross-attention sees it.
struct Memory {
  Tensor states;      // [M, D]
  ops::RowsPtr rows;  // M rows
  // Of a recurrent encoder, the state of each layer behind every sentence's end, [B, S].
  std::vector<Tensor> last = {};
};

struct DecoderLayer {
  MultiHeadAttention self_attn;
  LayerNorm self_attn_layer_norm;
  MultiHeadAttention encoder_attn;
  LayerNorm encoder_attn_layer_norm;
  FeedForward feed_forward;
  LayerNorm final_layer_norm;
  NormPlace norm;
  double dropout = 0;

  explicit DecoderLayer(const LayerOptions& options);
  Tensor operator()(const Tensor& x, const SelfRows& rows, const Memory& memory,
                    Context& context) const;  // [N, D]
  template <class V>
  void fields(V& v) {
    v("self_attn", self_attn);
    v("self_attn_layer_norm", self_attn_layer_norm);
    v("encoder_attn", encoder_attn);
    v("encoder_attn_layer_norm", encoder_attn_layer_norm);
    feed_forward.fields(v);
    v("final_layer_norm", final_layer_norm);
  }
};

// A stack of layers; the pre-norm stack ends with a norm of its own.
template <class Layer>
struct Stack {
  std::vector<Layer> layers;
  LayerNorm layer_norm;

  Stack() = default;
  Stack(int64_t depth, const LayerOptions& options) {
    for (int64_t i = 0; i < depth; ++i) layers.emplace_back(options);
    if (std::holds_alternative<PreNorm>(options.norm)) {
      layer_norm = LayerNorm(options.attention.features, options.norm_epsilon);
    }
  }
  Tensor finish(const Tensor& x, Context& context) const {
    return layer_norm.weight.is_present() ? layer_norm(x, context.tape) : x;
  }
  template <class V>
  void fields(V& v) {
    v("layers", layers);
    v("layer_norm", layer_norm);
  }
};

struct Encoder : Stack<EncoderLayer> {
  using Stack::Stack;
  Tensor operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    Context& context) const;  // [M, D]
};

struct Decoder : Stack<DecoderLayer> {
  using Stack::Stack;
  // Gives the cache the memory [M, D] of the sentences that entered it last.
  void remember(const Tensor& memory, KvCache& cache) const;
  Tensor operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, Context& context) const;  // [N, D]
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_LAYERS_H_
