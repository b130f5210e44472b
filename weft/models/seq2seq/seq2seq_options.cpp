#include "weft/models/seq2seq/seq2seq_options.h"

#include <algorithm>
#include <limits>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {

EncoderOptions Seq2SeqOptions::encoder_options() const {
  EncoderOptions out{encoder};
  if (type.is<RnnType, RnnAttentionType>()) out.type = RnnEncoderType{};
  if (type.is<CnnType>()) out.type = CnnEncoderType{};
  // The decoder starts from the last state of one direction.
  if (type.is<RnnType>() && out.recurrent.direction.is<nn::AutomaticDirection>()) {
    out.recurrent.direction = nn::Unidirectional{};
  }
  if (encoder_decoder.stacks.is<nn::InDecoder>()) out.transformer.attention.kind = {};
  return out;
}

LayerOptions Seq2SeqOptions::decoder_layers() const {
  LayerOptions out = encoder;
  if (encoder_decoder.stacks.is<nn::InEncoder>()) out.transformer.attention.kind = {};
  return out;
}

int64_t Seq2SeqOptions::target_capacity() const {
  return is_transformer() ? decoder_layers().table_capacity() : std::numeric_limits<int32_t>::max();
}

int64_t Seq2SeqOptions::source_capacity() const {
  const auto* ctc = generation.get_if<Ctc>();
  if (ctc == nullptr) return encoder_capacity();
  return std::min(encoder_capacity(), target_capacity() / ctc->upsampling);
}

PairLengths Seq2SeqOptions::longest_pair() const {
  const int64_t encoder_rows = encoder_capacity(), rows = target_capacity();
  const auto longest = [](const auto& fits) {
    int64_t tokens = 0;
    for (int64_t beyond = std::numeric_limits<int32_t>::max(); tokens + 1 < beyond;) {
      const int64_t between = (tokens + beyond) / 2;
      (fits(between) ? tokens : beyond) = between;
    }
    return tokens;
  };
  return {longest([&](int64_t source) {
            return source + 1 <= encoder_rows && decoder_rows(generation, source + 1, 1) <= rows;
          }),
          longest([&](int64_t target) { return decoder_rows(generation, 1, target + 1) <= rows; })};
}

void check(const Seq2SeqOptions& o) {
  options::check_scopes(o);
  check_positions_of_sequences(o.encoder.position);
  check_positions(o.encoder, o.is_transformer(), o.type.name());
  const nn::TransformerOptions& transformer = o.encoder.transformer;
  transformer.check();
  if (o.tied_embeddings_src && (o.tied_embeddings_all || o.decoder.tied_embeddings)) {
    fail<OptionError>("--tied-embeddings-src",
                      "contradicts {}; expected one of them, or --tied-embeddings-all alone",
                      o.tied_embeddings_all ? "--tied-embeddings-all" : "--tied-embeddings");
  }
  o.encoder_decoder.check(transformer.attention.kind);
  if (o.is_transformer()) {
    const bool in_decoder = !o.encoder_decoder.stacks.is<nn::InEncoder>();
    check_attention_limits(o.encoder, in_decoder && o.is_left_to_right());
    check_head_sizes(o.encoder);
    const nn::PrunableStack stacks[] = {{"encoder", o.encoder.enc_depth},
                                        {"decoder", o.decoder.dec_depth, true}};
    check_pruned_heads(o.encoder, stacks);
  }
  check_convolution_width(o.encoder.cnn_width);
  for (const int64_t depth : {o.encoder.enc_depth, o.decoder.dec_depth}) {
    nn::layer_order(stack_options(transformer, depth));
  }
}

void check(const Seq2SeqOptions& o, const Seq2SeqDims& s) {
  check(o);
  if (o.shares_table() && s.source_vocab != s.target_vocab) {
    fail<OptionError>(o.tied_embeddings_all ? "--tied-embeddings-all" : "--tied-embeddings-src",
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
