#include "weft/models/classifier_options.h"

#include <bit>

#include "weft/core/error.h"
#include "weft/formats/options_table.h"

namespace weft::models {

void ClassifierOptions::check() const {
  formats::check_scopes(*this);
  if (!input.is<ImageInput>()) check_positions_of_sequences(encoder.position);
  encoder.check();
  const auto* picture = input.get_if<ImageInput>();
  if (picture != nullptr && picture->has_stem() &&
      (picture->patch_size < 2 ||
       !std::has_single_bit(static_cast<uint64_t>(picture->patch_size)))) {
    fail<OptionError>("--patch-size",
                      "convolutions halve a picture; expected a power of 2, 2 or more, with "
                      "--patch-embedding convolutions, got {}",
                      picture->patch_size);
  }
  if (is_sequence() && !is_text()) {
    fail<OptionError>("--labels", "sequence is of --input text; expected one or several with {}",
                      input.name());
  }
}

VectorEncoderSizes ClassifierSizes::vectors(const ClassifierOptions& options) const {
  VectorEncoderSizes out{.width = channels, .has_class_token = options.with_begin()};
  const auto* picture = options.input.get_if<ImageInput>();
  if (picture == nullptr) return out;
  out.in_grid = true;
  out.width = image.patch_width(picture->vector_side());
  if (picture->has_stem())
    out.halvings = std::countr_zero(static_cast<uint64_t>(picture->patch_size));
  return out;
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
