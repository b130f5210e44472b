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
  check_patches(image, options.input.get<ImageInput>().patch_size, options.encoder,
                options.with_begin() ? 1 : 0);
}

}  // namespace weft::models
