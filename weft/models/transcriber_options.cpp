#include "weft/models/transcriber_options.h"

#include <algorithm>
#include <limits>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {

double TranscriberOptions::ctc_weight() const {
  if (const auto* joint = decoder.get_if<JointDecoder>()) return joint->ctc_weight;
  return has_ctc() ? 1 : 0;
}

DecoderOptions TranscriberOptions::decoder_options() const {
  DecoderOptions out;
  if (const auto* joint = decoder.get_if<JointDecoder>()) out.dec_depth = joint->dec_depth;
  if (const auto* attention = decoder.get_if<AttentionDecoder>()) {
    out.dec_depth = attention->dec_depth;
  }
  out.tied_embeddings = true;
  return out;
}

LayerOptions TranscriberOptions::decoder_layers() const {
  LayerOptions out = encoder;
  out.transformer.attention.kind = {};
  return out;
}

int64_t TranscriberOptions::frame_capacity() const {
  const int64_t rows = std::min<int64_t>(encoder.table_capacity(), int64_t{1} << 24);
  return rows << subsampler.layers;
}

void TranscriberOptions::check() const {
  encoder.check();
  subsampler.check();
  check_positions_of_sequences(encoder.position);
  options::check_scopes(*this);
  if (has_decoder() && !encoder.is_transformer()) {
    fail<OptionError>("--type",
                      "{} has no decoder; expected transformer with --decoder {}, or "
                      "--decoder ctc",
                      encoder.type.name(), decoder.name());
  }
  if (!has_decoder()) return;
  nn::layer_order(stack_options(encoder.transformer, decoder_options().dec_depth));
}

void TranscriberDims::check() const {
  if (begin_id < vocab && end_id < vocab) return;
  fail<OptionError>("model", "begin id {} and end id {} must be below the vocabulary size {}",
                    begin_id, end_id, vocab);
}

}  // namespace weft::models
