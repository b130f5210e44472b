#include "weft/models/encoders/text_encoder_options.h"

#include "weft/core/error.h"

namespace weft::models {

void TextEncoderOptions::check() const {
  check_positions_of_sequences(position);
  EncoderOptions::check();
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
