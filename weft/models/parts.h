// What the networks of several models are made of, from the options of layers and positions.
#ifndef WEFT_MODELS_PARTS_H_
#define WEFT_MODELS_PARTS_H_

#include "weft/nn/convolution.h"
#include "weft/nn/position/position.h"
#include "weft/nn/recurrent/options.h"
#include "weft/nn/transformer/options.h"
#include "weft/nn/transformer/stack.h"
#include "weft/options/fields.h"

namespace weft::models {

enum class Side { kEncoder, kDecoder };

struct TransformerType {
  static constexpr std::string_view kName = "transformer";
  static constexpr std::string_view kHelp = "self-attention (Vaswani et al. 2017)";
};

// What decides the shapes of Transformer layers.
struct LayerParts {
  const nn::TransformerOptions& transformer;
  const nn::PositionOptions& position;
  int64_t features = 0;  // D

  int64_t key_size() const { return head_size(transformer.attention.key_size); }      // K
  int64_t value_size() const { return head_size(transformer.attention.value_size); }  // Kv

 private:
  int64_t head_size(int64_t given) const {
    return given != 0 ? given : features / transformer.attention.heads;
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

// Blocks with self-attention of the kind `self`, and cross-attention with the prior; where that is
// null, without cross-attention.
struct BlockAttention {
  const nn::AttentionKinds& self;
  const nn::PriorKinds* prior = nullptr;
};
nn::BlockOptions block_options(const LayerParts& parts, const BlockAttention& attention,
                               const DeepNorm& deepnorm);
nn::StackOptions stack_options(const nn::TransformerOptions& transformer, int64_t depth);

nn::Position make_position(const LayerParts& parts, bool is_causal);

// Encoders of D features.
struct EncoderSizes {
  int64_t features = 512;  // D
  int64_t depth = 6;
  bool in_grid = false;  // of rows that have places in a picture
};
nn::RecurrentEncoder recurrent_encoder(const EncoderSizes& sizes,
                                       const nn::RecurrentOptions& options, bool is_bidirectional,
                                       nn::DropoutSites& sites);
nn::ConvolutionalEncoder convolutional_encoder(const EncoderSizes& sizes, int64_t width,
                                               double dropout, nn::DropoutSites& sites);

// Each throws OptionError for options that contradict each other, with the reason.
//
// Positions of a network of the kind `type`, with self-attention or without.
void check_positions(const LayerParts& parts, bool is_transformer, std::string_view type);
// Refuses positions that need rows in a grid.
void check_positions_of_sequences(const nn::PositionOptions& position);
// What the kind of self-attention cannot do; `is_causal` where it is also that of a decoder which
// goes from left to right.
void check_attention_limits(const LayerParts& parts, bool is_causal);
void check_head_sizes(const LayerParts& parts);
// Heads to prune of a network with these stacks.
void check_pruned_heads(const LayerParts& parts, std::span<const nn::PrunableStack> stacks);
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
