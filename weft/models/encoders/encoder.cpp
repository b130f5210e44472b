#include "weft/models/encoders/encoder.h"

#include <array>
#include <limits>

#include "weft/core/error.h"

namespace weft::models {

void EncoderOptions::check() const {
  check_positions(layers(), is_transformer(), type.name());
  transformer.check();
  if (is_transformer()) {
    check_attention_limits(layers(), false);
    check_head_sizes(layers());
    check_pruned_heads(layers(), std::array{nn::PrunableStack{"encoder", enc_depth}});
  }
  check_convolution_width(cnn_width);
  nn::layer_order(stack_options(transformer, enc_depth));
}

int64_t EncoderOptions::table_capacity() const {
  const bool is_bound =
      (has_positions() && has_tables(position.kind)) || transformer.attention.kind.has_tables();
  return is_bound ? position.max_positions : std::numeric_limits<int32_t>::max();
}

nn::Encoder make_encoder(const EncoderOptions& o, nn::DropoutSites& dropouts,
                         const EncoderUse& use) {
  if (o.is_transformer()) {
    return {nn::Stack(stack_options(o.transformer, o.enc_depth),
                      block_options(o.layers(), {.self = o.transformer.attention.kind},
                                    encoder_deepnorm(o.enc_depth, use.decoder_depth)),
                      dropouts)};
  }
  const EncoderSizes sizes{.features = o.dim_emb, .depth = o.enc_depth, .in_grid = use.in_grid};
  if (o.type.is<CnnEncoderType>()) {
    return {convolutional_encoder(sizes, o.cnn_width, o.recurrent.dropout, dropouts)};
  }
  return {recurrent_encoder(sizes, o.recurrent, o.is_bidirectional(), dropouts)};
}

nn::Position make_position(const EncoderOptions& o) {
  return o.has_positions() ? make_position(o.layers(), false) : nn::Position{nn::NoPosition{}};
}

int64_t width_of(const nn::Encoder& encoder, const EncoderOptions& options) {
  const auto* recurrent = std::get_if<nn::RecurrentEncoder>(&encoder.kind);
  return recurrent == nullptr ? options.dim_emb : recurrent->width();
}

}  // namespace weft::models
