#include "weft/models/classifier_options.h"

#include "weft/core/error.h"
#include "weft/formats/options_table.h"

namespace weft::models {

void ClassifierOptions::check() const {
  formats::check_scopes(*this);
  if (!input.is<ImageInput>()) check_positions_of_sequences(encoder.position);
  encoder.check();
  if (is_sequence() && !is_text()) {
    fail<OptionError>("--labels", "sequence is of --input text; expected one or several with {}",
                      input.name());
  }
}

int64_t ClassifierSizes::vector_width(const InputKinds& input) const {
  return input.is<FeatureInput>() ? channels
                                  : image.patch_width(input.get<ImageInput>().patch_size);
}

void ClassifierSizes::check(const ClassifierOptions& options) const {
  if (options.is_text()) return text.check();
  if (options.input.is<FeatureInput>()) {
    if (channels < 1) fail<OptionError>("model", "vectors of {} numbers; expected 1", channels);
    return;
  }
  if (image.height < 1 || image.width < 1 || (image.channels != 1 && image.channels != 3)) {
    fail<OptionError>("model", "pictures of {} by {} with {} channels; expected 1 or 3 channels",
                      image.height, image.width, image.channels);
  }
  const int64_t patch = options.input.get<ImageInput>().patch_size;
  if (image.height % patch != 0 || image.width % patch != 0) {
    fail<OptionError>("--patch-size", "{} does not divide pictures of {} by {}; expected a divisor",
                      patch, image.height, image.width);
  }
  const int64_t rows = image.patches(patch) + (options.with_begin() ? 1 : 0);
  const int64_t most = options.encoder.table_capacity();
  if (rows > most) {
    fail<OptionError>("--max-positions", "expected {} or more, the patches of a picture, got {}",
                      rows, most);
  }
}

}  // namespace weft::models
