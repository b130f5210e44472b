// A stack of Transformer blocks: an encoder, a decoder with cross-attention, or, causal and without
// it, a decoder-only model.
#ifndef WEFT_NN_TRANSFORMER_STACK_H_
#define WEFT_NN_TRANSFORMER_STACK_H_

#include <algorithm>
#include <vector>

#include "weft/nn/attention/pruning.h"
#include "weft/nn/transformer/block.h"

namespace weft::nn {

struct StackOptions {
  int64_t depth = 6;
  // For each layer the one, from 1, whose weights it has; one number for all; none: its own.
  std::vector<int64_t> tied_layers = {};
  double drop_path = 0;  // of the last layer; the others' grows to it in even steps
  // A literal, which names the stack in the keys of its attentions (attention/observer.h).
  std::string_view name = "encoder";
  bool causal = false;  // a row attends to none after itself
  PruningOptions pruning = {};
  FullLayers full_layers = {};  // whose self-attention is full in place of the block's
};

// Throws OptionError unless there are `depth` numbers, or one or none, each that of a layer that
// is not after it and has weights of its own.
std::vector<size_t> layer_order(const StackOptions& options);

// The rows of a stack's input and their positions.
struct StackRows {
  const ops::LayoutPtr& rows;
  const AttentionPosition& position;
};

struct Stack {
  std::vector<Block> layers;  // those that have weights of their own
  std::vector<size_t> order;  // the layers in the order they run, some of them more than once
  Norm layer_norm;            // at the end, where the placement of norms has one
  double drop_path = 0;
  std::string_view name = "encoder";
  bool causal = false;

  Stack() = default;
  Stack(const StackOptions& stack, BlockOptions block, RngStreams& streams);

  // Stochastic depth of the i-th layer to run (Huang et al. 2016: deeper layers go more often).
  double drop_path_at(size_t i) const {
    return drop_path * static_cast<double>(i + 1) / static_cast<double>(order.size());
  }
  bool has_cross_attention() const { return !layers.empty() && layers.front().encoder_attn; }

  // The states of x [N, D].
  Tensor forward(Tensor x, const StackRows& rows, const Memory& memory,
                 const Context& context) const;
  // The same with cross-attention to the memory in a cache.
  Tensor forward(Tensor x, const StackRows& rows, const KvCache& memory,
                 const Context& context) const;
  // Of a causal stack: the states of the rows of prompts, or of a step, of the cache's pass.
  Tensor prefill(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const;
  Tensor step(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const;

  // The parts of forward(): the i-th block to run, in its scope, and the norm at the end, if any.
  const Block& block(size_t i) const { return layers[order[i]]; }
  LayerScope scope(size_t i) const;
  Tensor normalised(const Tensor& x, const Context& context) const;
  // The states after each layer, in the order they run, each with the norm at the end of the stack,
  // so that one output layer can read all of them. The last are what the call above returns.
  std::vector<Tensor> hidden_states(Tensor x, const StackRows& rows, const Memory& memory,
                                    const Context& context) const;

  // Whether a layer keeps a state of fixed size in place of keys and values.
  bool keeps_state() const {
    return std::ranges::any_of(
        layers, [](const Block& b) { return b.self_attn.config.kind.keeps_state(); });
  }
  // See KvCache.
  std::vector<ops::AttentionPattern> cache_layers() const;
  int64_t cross_attentions() const { return has_cross_attention() ? std::ssize(order) : 0; }
  // Gives the cache the memory of the sequences that were added last.
  void prefill_cross(const Memory& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("layers", layers);
    v("layer_norm", layer_norm);
  }

 private:
  uint32_t first_dropout_ = 0;
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_STACK_H_
