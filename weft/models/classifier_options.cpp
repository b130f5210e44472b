#include "weft/models/classifier_options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {

void ClassifierOptions::check() const {
  ClassifierOptions checked = *this;
  // Files of earlier versions have their default whatever the input is.
  constexpr int64_t kEarlierPatchSize = 4;
  auto& patch_size = checked.input.get<ImageInput>().patch_size;
  if (!input.is<ImageInput>() && patch_size == kEarlierPatchSize) patch_size = 0;
  options::check_scopes(checked);
  if (!input.is<ImageInput>()) check_positions_of_sequences(encoder.position);
  encoder.check();
  if (is_text()) input.get<TextInput>().embedding.check(encoder);
  const auto* picture = input.get_if<ImageInput>();
  if (picture != nullptr) picture->check(encoder.dim_emb);
  if (is_sequence() && !is_text()) {
    fail<OptionError>("--labels",
                      "sequence is of --input text; expected one, several or numbers with {}",
                      input.name());
  }
  // The labels before one are all that its decoder sees.
  if (is_sequence() && encoder.is_transformer()) check_attention_limits(encoder, true);
}

VectorEncoderDims ClassifierDims::vectors(const ClassifierOptions& options) const {
  VectorEncoderDims out{.width = channels, .has_class_token = options.with_begin()};
  const auto* picture = options.input.get_if<ImageInput>();
  if (picture == nullptr) return out;
  out.use.in_grid = true;
  out.width = image.patch_width(picture->vector_side());
  if (picture->has_stem()) out.stem_patch = picture->patch_size;
  return out;
}

void ClassifierDims::check(const ClassifierOptions& options) const {
  if (options.is_text()) return text.check();
  if (options.input.is<FeatureInput>()) {
    if (channels < 1) fail<OptionError>("model", "vectors of {} numbers; expected 1", channels);
    return;
  }
  check_patches(image, options.input.get<ImageInput>().patch_size, options.encoder,
                options.with_begin() ? 1 : 0);
}

}  // namespace weft::models
