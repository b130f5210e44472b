#include "weft/models/text_encoder_options.h"

#include <limits>

#include "weft/core/error.h"

namespace weft::models {

void TextEncoderOptions::check() const {
  check_positions(layers(), is_transformer(), type.name());
  transformer.check();
  if (is_transformer()) {
    check_attention_limits(layers(), false);
    check_head_sizes(layers());
  }
  check_convolution_width(cnn_width);
  nn::layer_order(stack_options(transformer, enc_depth));
}

int64_t TextEncoderOptions::table_capacity() const {
  const bool is_bound =
      (has_positions() && has_tables(position.kind)) || has_tables(transformer.attention.kind);
  return is_bound ? position.max_positions : std::numeric_limits<int32_t>::max();
}

void TextEncoderSizes::check() const {
  for (const int64_t id : {unknown_id, begin_id, end_id}) {
    if (id < vocab) continue;
    fail<OptionError>("model",
                      "the id {} of a special symbol; expected one below the vocabulary size {}",
                      id, vocab);
  }
}

}  // namespace weft::models
