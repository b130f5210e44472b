// The options of Transformer layers, and the parts of several models that are made from them.
#ifndef WEFT_MODELS_PARTS_H_
#define WEFT_MODELS_PARTS_H_

#include <optional>

#include "weft/nn/position/position.h"
#include "weft/nn/transformer/options.h"
#include "weft/nn/transformer/stack.h"
#include "weft/options/fields.h"

namespace weft::models {

struct TransformerType {
  static constexpr std::string_view kName = "transformer";
  static constexpr std::string_view kHelp = "self-attention (Vaswani et al. 2017)";
};

// The options that all Transformer layers of a model have in common.
struct LayerOptions {
  int64_t dim_emb = 256;  // D
  nn::TransformerOptions transformer = {};
  nn::PositionOptions position = {};

  int64_t key_size() const { return head_size(transformer.attention.key_size); }      // K
  int64_t value_size() const { return head_size(transformer.attention.value_size); }  // Kv
  // The most rows of an example that learned tables, of positions or in self-attention, have rows
  // for; a very large number without tables.
  int64_t table_capacity() const;

  template <class V>
  void width_field(V& v) {
    v("dim-emb", dim_emb, {.help = "size of embeddings and layers, D", .min = 2, .max = 65536});
  }

 private:
  int64_t head_size(int64_t given) const {
    return given != 0 ? given : dim_emb / transformer.attention.heads;
  }
};

// DeepNorm (Wang et al. 2022, arXiv 2203.00555, table 1): the factor on residuals and the gain of
// initial values, which follow from the depths of the stacks.
struct DeepNorm {
  double scale = 1, gain = 1;
};
// Of an encoder; decoder_depth is 0 where no decoder attends to its states.
DeepNorm encoder_deepnorm(int64_t depth, int64_t decoder_depth);
DeepNorm decoder_deepnorm(int64_t depth);

// Blocks with cross-attention where it has a prior.
nn::BlockOptions block_options(const LayerOptions& layers,
                               const std::optional<nn::PriorKinds>& cross_attention,
                               const DeepNorm& deepnorm);
nn::StackOptions stack_options(const nn::TransformerOptions& transformer, int64_t depth);

// The stack of a decoder.
struct DecoderStack {
  int64_t depth = 0;
  // The prior of attention to an encoder's states; without one there is no such attention.
  std::optional<nn::PriorKinds> cross_attention = {};
  bool is_causal = true;  // a row attends to none after itself
};
nn::Stack decoder_stack(const LayerOptions& layers, const DecoderStack& decoder,
                        nn::RngStreams& streams);

nn::Position make_position(const LayerOptions& layers, bool is_causal);

// Each throws OptionError for options that contradict each other, with the reason.
//
// Positions of a network of the kind `type`, with self-attention or without.
void check_positions(const LayerOptions& layers, bool is_transformer, std::string_view type);
// Refuses positions that need rows in a grid.
void check_positions_of_sequences(const nn::PositionOptions& position);
// What the kind of self-attention cannot do; `is_causal` where it is also that of a decoder which
// goes from left to right.
void check_attention_limits(const LayerOptions& layers, bool is_causal);
void check_head_sizes(const LayerOptions& layers);
// Heads to prune of a network with these stacks.
void check_pruned_heads(const LayerOptions& layers, std::span<const nn::PrunableStack> stacks);
void check_convolution_width(int64_t width);

// Whether a kind's module has a table of --max-positions rows.
template <class... Kinds>
bool has_tables(const options::OneOf<Kinds...>& choice) {
  return choice.visit([](const auto& kind) {
    return requires { kind.kHasTables; };
  });
}

}  // namespace weft::models

#endif  // WEFT_MODELS_PARTS_H_
