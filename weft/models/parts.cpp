#include "weft/models/parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/error.h"

namespace weft::models {
namespace {

nn::AttentionConfig attention_config(const LayerOptions& layers,
                                     const std::optional<nn::PriorKinds>& prior) {
  const nn::AttentionOptions& attention = layers.transformer.attention;
  const nn::AttentionDims dims{.features = layers.dim_emb,
                               .heads = attention.heads,
                               .key_heads = attention.groups(),
                               .key_size = layers.key_size(),
                               .max_positions = layers.position.max_positions,
                               .has_bias = attention.bias};
  return {.features = layers.dim_emb,
          .heads = attention.heads,
          .key_heads = attention.key_heads,
          .key_size = layers.key_size(),
          .value_size = layers.value_size(),
          .bias = attention.bias,
          .query_bias = attention.query_bias,
          .key_bias = attention.key_bias,
          .value_bias = attention.value_bias,
          .output_bias = attention.output_bias,
          .scale = attention.scale,
          .dropout = attention.dropout,
          .soft_cap = attention.soft_cap,
          .function = attention.activation.visit([](const auto& kind) { return kind.kFunction; }),
          .qk_norm = attention.qk_norm,
          .qk_norm_epsilon = layers.transformer.norm.epsilon,
          .kind = attention.kind.make(dims),
          .is_local = attention.kind.is_local(),
          .prior = prior ? nn::AttentionPrior(*prior, attention.heads) : nn::AttentionPrior()};
}

}  // namespace

int64_t LayerOptions::table_capacity() const {
  const bool is_bound = has_tables(position.kind) || transformer.attention.kind.has_tables();
  return is_bound ? position.max_positions : std::numeric_limits<int32_t>::max();
}

DeepNorm encoder_deepnorm(int64_t depth, int64_t decoder_depth) {
  const auto n = static_cast<double>(depth), m = static_cast<double>(decoder_depth);
  if (decoder_depth == 0) {
    return {.scale = std::pow(2 * n, 1.0 / 4), .gain = std::pow(8 * n, -1.0 / 4)};
  }
  return {.scale = 0.81 * std::pow(n * n * n * n * m, 1.0 / 16),
          .gain = 0.87 * std::pow(n * n * n * n * m, -1.0 / 16)};
}

DeepNorm decoder_deepnorm(int64_t depth) {
  const auto m = static_cast<double>(depth);
  return {.scale = std::pow(3 * m, 1.0 / 4), .gain = std::pow(12 * m, -1.0 / 4)};
}

nn::BlockOptions block_options(const LayerOptions& layers,
                               const std::optional<nn::PriorKinds>& cross_attention,
                               const DeepNorm& deepnorm) {
  const nn::TransformerOptions& transformer = layers.transformer;
  nn::BlockOptions block{.attention = attention_config(layers, cross_attention),
                         .feed_forward = transformer.feed_forward,
                         .norm = transformer.norm,
                         .dropout = transformer.dropout,
                         .has_cross_attention = cross_attention.has_value()};
  if (transformer.is_deepnorm()) {
    block.residual_scale = deepnorm.scale;
    block.init_gain = deepnorm.gain;
  } else {
    block.residual_scale = transformer.residual_factor();
  }
  return block;
}

nn::StackOptions stack_options(const nn::TransformerOptions& transformer, int64_t depth) {
  return {.depth = depth,
          .tied_layers = transformer.tied_layers,
          .drop_path = transformer.drop_path,
          .pruning = transformer.pruning,
          .full_layers = transformer.attention.kind.full_layers()};
}

nn::Stack decoder_stack(const LayerOptions& layers, const DecoderStack& decoder,
                        nn::RngStreams& streams) {
  nn::StackOptions stack = stack_options(layers.transformer, decoder.depth);
  stack.name = "decoder";
  stack.causal = decoder.is_causal;
  const DeepNorm deepnorm = decoder.cross_attention ? decoder_deepnorm(decoder.depth)
                                                    : encoder_deepnorm(decoder.depth, 0);
  return {stack, block_options(layers, decoder.cross_attention, deepnorm), streams};
}

nn::Position make_position(const LayerOptions& layers, bool is_causal) {
  return nn::make_position(layers.position.kind, {.features = layers.dim_emb,
                                                  .heads = layers.transformer.attention.heads,
                                                  .head_size = layers.key_size(),
                                                  .max_positions = layers.position.max_positions,
                                                  .causal = is_causal});
}

void check_positions(const LayerOptions& layers, bool is_transformer, std::string_view type) {
  const nn::PositionOptions& position = layers.position;
  if (position.place() != nn::PositionPlace::kEmbeddings && !is_transformer) {
    fail<OptionError>("--position",
                      "{} acts in self-attention, which --type {} has none of; expected none, "
                      "index, sinusoidal or learned",
                      position.kind.name(), type);
  }
  const int64_t multiple = position.needs_grid() ? 4 : 2;
  if (position.place() == nn::PositionPlace::kRotation && layers.key_size() % multiple != 0) {
    fail<OptionError>(
        "--position", "{} rotates pairs of features; expected {} of a head's keys, got {}",
        position.kind.name(), multiple == 2 ? "an even size" : "a multiple of 4 as the size",
        layers.key_size());
  }
  if (position.kind.is<nn::Sinusoidal2dPositionOptions>() && layers.dim_emb % 4 != 0) {
    fail<OptionError>("--position",
                      "sinusoidal-2d has sines and cosines of rows and of columns; expected "
                      "--dim-emb to be a multiple of 4, got {}",
                      layers.dim_emb);
  }
  position.check();
  if (position.has_local_rotation() && !layers.transformer.attention.kind.is_local()) {
    fail<OptionError>("--rotary-local-base",
                      "rotates the local layers of --attention local; expected 0 with {}",
                      layers.transformer.attention.kind.name());
  }
}

void check_positions_of_sequences(const nn::PositionOptions& position) {
  if (!position.needs_grid()) return;
  const std::string_view name = position.kind.name();
  fail<OptionError>("--position",
                    "{} encodes the row and column of a patch, and the input is not a picture; "
                    "expected {}",
                    name, name.substr(0, name.find('-')));
}

void check_attention_limits(const LayerOptions& layers, bool is_causal) {
  const nn::AttentionOptions& attention = layers.transformer.attention;
  const nn::AttentionLimits& limits = attention.kind.limits();
  const auto refuse = [&](const char* option, const char* reason) {
    if (reason != nullptr)
      fail<OptionError>(option, "--attention {} {}", attention.kind.name(), reason);
  };
  if (is_causal) refuse("--attention-in", limits.causal);
  switch (layers.position.place()) {
    case nn::PositionPlace::kScores: return refuse("--position", limits.score_bias);
    case nn::PositionPlace::kRotation: return refuse("--position", limits.rotary);
    case nn::PositionPlace::kEmbeddings: break;
  }
}

void check_head_sizes(const LayerOptions& layers) {
  const nn::AttentionOptions& attention = layers.transformer.attention;
  if ((attention.key_size == 0 || attention.value_size == 0) &&
      layers.dim_emb % attention.heads != 0) {
    fail<OptionError>("--transformer-heads",
                      "{} heads do not divide --dim-emb {}; expected a divisor, or "
                      "--transformer-dim-key and --transformer-dim-value",
                      attention.heads, layers.dim_emb);
  }
  if (attention.groups() * std::min(layers.key_size(), layers.value_size()) < 2) {
    fail<OptionError>("--transformer-key-heads",
                      "one head of keys and values, of one feature each, is too small; expected 2 "
                      "features over all heads");
  }
}

void check_pruned_heads(const LayerOptions& layers, std::span<const nn::PrunableStack> stacks) {
  const nn::TransformerOptions& transformer = layers.transformer;
  if (!transformer.pruning.is_on()) return;
  const nn::AttentionOptions& attention = transformer.attention;
  const auto refuse = [](std::string_view option, std::string_view reason) {
    fail<OptionError>("--prune-heads", "{} {}", option, reason);
  };
  if (!transformer.tied_layers.empty()) {
    refuse("--tied-layers", "gives layers one set of heads; expected none");
  }
  if (attention.key_heads != 0) {
    refuse("--transformer-key-heads", "makes heads share keys and values; expected 0");
  }
  if (layers.position.place() == nn::PositionPlace::kScores) {
    refuse(fmt::format("--position {}", layers.position.kind.name()),
           "has a number for each head, the same in all layers; expected another kind");
  }
  const char* reason = attention.kind.limits().pruning;
  if (reason != nullptr) refuse(fmt::format("--attention {}", attention.kind.name()), reason);
  const bool is_narrow = std::min(layers.key_size(), layers.value_size()) < 2;
  transformer.pruning.check(stacks, {.all = attention.heads, .least = is_narrow ? 2 : 1});
}

void check_convolution_width(int64_t width) {
  if (width % 2 != 0) return;
  fail<OptionError>("--cnn-width", "expected an odd number of tokens, got {}", width);
}

}  // namespace weft::models
