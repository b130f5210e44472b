#include "weft/models/encoders/encoder.h"

#include <array>
#include <limits>

#include "weft/core/error.h"

namespace weft::models {

void EncoderOptions::check() const {
  check_positions(*this, is_transformer(), type.name());
  transformer.check();
  if (is_transformer()) {
    check_attention_limits(*this, false);
    check_head_sizes(*this);
    check_pruned_heads(*this, std::array{nn::PrunableStack{"encoder", enc_depth}});
  }
  check_convolution_width(cnn_width);
  nn::layer_order(stack_options(transformer, enc_depth));
}

int64_t EncoderOptions::table_capacity() const {
  return has_positions() ? LayerOptions::table_capacity() : std::numeric_limits<int32_t>::max();
}

nn::Encoder make_encoder(const EncoderOptions& o, nn::RngStreams& dropouts, const EncoderUse& use) {
  if (o.is_transformer()) {
    const DeepNorm deepnorm = encoder_deepnorm(o.enc_depth, use.decoder_depth);
    return {nn::Stack(stack_options(o.transformer, o.enc_depth), block_options(o, {}, deepnorm),
                      dropouts)};
  }
  if (o.type.is<CnnEncoderType>()) {
    return {nn::ConvolutionalEncoder({.features = o.dim_emb,
                                      .depth = o.enc_depth,
                                      .width = o.cnn_width,
                                      .dropout = o.recurrent.dropout,
                                      .in_grid = use.in_grid},
                                     dropouts)};
  }
  return {nn::RecurrentEncoder({.cell = o.recurrent.cell_kind(),
                                .features = o.dim_emb,
                                .depth = o.enc_depth,
                                .bidirectional = o.is_bidirectional(),
                                .dropout = o.recurrent.dropout},
                               dropouts)};
}

nn::Position make_position(const EncoderOptions& o) {
  return o.has_positions() ? make_position(o, false) : nn::Position{nn::NoPosition{}};
}

int64_t width_of(const nn::Encoder& encoder, const EncoderOptions& options) {
  const auto* recurrent = std::get_if<nn::RecurrentEncoder>(&encoder.kind);
  return recurrent == nullptr ? options.dim_emb : recurrent->width();
}

nn::RecurrentDecoderOptions recurrent_decoder(const EncoderOptions& o, const nn::Encoder& encoder,
                                              int64_t depth) {
  nn::RecurrentDecoderOptions out{.cell = o.recurrent.cell_kind(),
                                  .features = o.dim_emb,
                                  .depth = depth,
                                  .memory_width = o.dim_emb,
                                  .last_size = o.dim_emb,
                                  .dropout = o.recurrent.dropout};
  if (const auto* recurrent = std::get_if<nn::RecurrentEncoder>(&encoder.kind)) {
    out.memory_width = recurrent->width();
    out.last_size = recurrent->last_size();
  }
  return out;
}

}  // namespace weft::models
