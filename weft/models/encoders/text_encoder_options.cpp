#include "weft/models/encoders/text_encoder_options.h"

#include "weft/core/error.h"

namespace weft::models {

void TextEmbeddingOptions::check(const EncoderOptions& encoder) const {
  if (norm && !encoder.is_transformer()) {
    fail<OptionError>("--embedding-norm", "is of --type transformer; expected false with {}",
                      encoder.type.name());
  }
  if (position_offset == 0) return;
  if (!encoder.has_positions() || !encoder.position.kind.is<nn::LearnedPositionOptions>()) {
    fail<OptionError>("--position-offset", "is of --position learned; expected 0 with {}",
                      encoder.position.kind.name());
  }
  if (position_offset >= encoder.position.max_positions) {
    fail<OptionError>("--position-offset", "{} leaves no position of --max-positions {}",
                      position_offset, encoder.position.max_positions);
  }
}

void TextEncoderOptions::check() const {
  check_positions_of_sequences(position);
  EncoderOptions::check();
  embedding.check(*this);
}

void TextEncoderDims::check() const {
  for (const int64_t id : {unknown_id, begin_id, end_id}) {
    if (id < vocab) continue;
    fail<OptionError>("model",
                      "the id {} of a special symbol; expected one below the vocabulary size {}",
                      id, vocab);
  }
}

}  // namespace weft::models
