// Encoder and decoder layers and their stacks (Vaswani et al. 2017, section 3.1).
#ifndef WEFT_NN_TRANSFORMER_LAYERS_H_
#define WEFT_NN_TRANSFORMER_LAYERS_H_

#include <algorithm>
#include <vector>

#include "weft/nn/attention/multi_head.h"
#include "weft/nn/feed_forward.h"
#include "weft/nn/memory.h"
#include "weft/nn/norm.h"

namespace weft::nn {

struct LayerOptions {
  AttentionConfig attention = {};
  FeedForwardOptions feed_forward = {};
  NormOptions norm = {};
  double dropout = 0.1;  // on what each sublayer adds
  // DeepNorm (Wang et al. 2022, arXiv 2203.00555): factor on the residual, and on the initial
  // values of the feed-forward network and of the attention's values and outputs.
  double residual_scale = 1;
  double init_gain = 1;

  Norm make_norm() const { return nn::make_norm(norm, attention.features); }
};

struct EncoderLayer {
  MultiHeadAttention self_attn;
  Norm self_attn_layer_norm;
  FeedForward feed_forward;
  Norm final_layer_norm;
  Residual residual;

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

struct DecoderLayer {
  MultiHeadAttention self_attn;
  Norm self_attn_layer_norm;
  MultiHeadAttention encoder_attn;
  Norm encoder_attn_layer_norm;
  FeedForward feed_forward;
  Norm final_layer_norm;
  Residual residual;

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

struct StackOptions {
  int64_t depth = 6;
  // For each layer the one, from 1, whose weights it has; one number for all; none: its own.
  std::vector<int64_t> tied_layers = {};
  double drop_path = 0;  // of the last layer; the others' grows to it in even steps
};

// Throws OptionError unless there are `depth` numbers, or one or none, each that of a layer that
// is not after it and has weights of its own.
std::vector<size_t> layer_order(const StackOptions& options);

// A stack of layers; the pre-norm stack ends with a norm of its own.
template <class Layer>
struct Stack {
  std::vector<Layer> layers;  // those that have weights of their own
  std::vector<size_t> order;  // the layers in the order they run, some of them more than once
  Norm layer_norm;
  double drop_path = 0;

  Stack() = default;
  Stack(const StackOptions& stack, const LayerOptions& options)
      : order(layer_order(stack)), drop_path(stack.drop_path) {
    const size_t count = order.empty() ? 0 : 1 + *std::max_element(order.begin(), order.end());
    for (size_t i = 0; i < count; ++i) layers.emplace_back(options);
    if (options.norm.place.is<PreNorm>()) layer_norm = options.make_norm();
  }
  // Stochastic depth of the i-th layer to run (Huang et al. 2016: deeper layers go more often).
  double drop_path_at(size_t i) const {
    return drop_path * static_cast<double>(i + 1) / static_cast<double>(order.size());
  }
  Tensor finish(const Tensor& x, Context& context) const {
    return layer_norm.is_present() ? layer_norm(x, context) : x;
  }
  template <class V>
  void fields(V& v) {
    v("layers", layers);
    v("layer_norm", layer_norm);
  }
};

struct Encoder : Stack<EncoderLayer> {
  using Stack::Stack;
  Memory operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    Context& context) const;
};

struct Decoder : Stack<DecoderLayer> {
  using Stack::Stack;
  bool causal = true;  // a position sees none after itself
  int64_t cache_layers() const { return std::ssize(order); }
  // Gives the cache the memory of the sentences that entered it last.
  void remember(const Memory& memory, KvCache& cache) const;
  Tensor operator()(Tensor x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, Context& context) const;  // [N, D]
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_LAYERS_H_
