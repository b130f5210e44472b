#include "weft/models/seq2seq/seq2seq_options.h"

#include "weft/core/error.h"
#include "weft/models/encoders/encoder.h"
#include "weft/options/option_table.h"

namespace weft::models {

const LengthClassifier* Seq2SeqOptions::length_classifier() const {
  if (const auto* mask_predict = generation.get_if<MaskPredict>()) return &mask_predict->length;
  const auto* parallel = generation.get_if<Parallel>();
  return parallel == nullptr ? nullptr : parallel->length_from.get_if<LengthClassifier>();
}

Seq2SeqOptions with_decoder(const EncoderOptions& encoder, int64_t dec_depth) {
  Seq2SeqOptions out;
  if (encoder.type.is<RnnEncoderType>()) out.type = RnnAttentionType{};
  if (encoder.type.is<CnnEncoderType>()) out.type = CnnType{};
  out.enc_depth = encoder.enc_depth;
  out.dec_depth = dec_depth;
  out.dim_emb = encoder.dim_emb;
  out.transformer = encoder.transformer;
  out.position = encoder.position;
  out.recurrent = encoder.recurrent;
  out.cnn_width = encoder.cnn_width;
  return out;
}

const nn::AttentionKinds& self_attention_of(const Seq2SeqOptions& o, Side side) {
  static const nn::AttentionKinds full;
  const bool is_its = o.encoder_decoder.stacks.visit(
      [&](const auto& in) { return side == Side::kEncoder ? in.kEncoder : in.kDecoder; });
  return is_its ? o.transformer.attention.kind : full;
}

void check(const Seq2SeqOptions& o) {
  options::check_scopes(o);
  const LayerParts layers = o.layers();
  check_positions_of_sequences(o.position);
  check_positions(layers, o.is_transformer(), o.type.name());
  o.transformer.check();
  o.encoder_decoder.check(o.transformer.attention.kind);
  if (o.is_transformer()) {
    const bool in_decoder =
        o.encoder_decoder.stacks.visit([](const auto& in) { return in.kDecoder; });
    check_attention_limits(layers, in_decoder && o.is_left_to_right());
    check_head_sizes(layers);
    const nn::PrunableStack stacks[] = {{"encoder", o.enc_depth}, {"decoder", o.dec_depth, true}};
    check_pruned_heads(layers, std::span(stacks).first(o.has_decoder() ? 2 : 1));
  }
  check_convolution_width(o.cnn_width);
  for (const int64_t depth : {o.enc_depth, o.dec_depth}) {
    if (depth == 0) continue;  // no decoder
    nn::layer_order({.depth = depth, .tied_layers = o.transformer.tied_layers});
  }
}

void check(const Seq2SeqOptions& o, const Seq2SeqSizes& s) {
  check(o);
  if (o.tied_embeddings_all && s.source_vocab != s.target_vocab) {
    fail<OptionError>("--tied-embeddings-all",
                      "needs one vocabulary for both sides; the source has {} entries, the "
                      "target {}; hint: name the same vocabulary file twice",
                      s.source_vocab, s.target_vocab);
  }
  if (s.begin_id >= s.target_vocab || s.end_id >= s.target_vocab) {
    fail<OptionError>("model", "begin id {} and end id {} must be below the vocabulary size {}",
                      s.begin_id, s.end_id, s.target_vocab);
  }
}

}  // namespace weft::models
