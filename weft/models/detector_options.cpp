#include "weft/models/detector_options.h"

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::models {

DetectorOptions::DetectorOptions() {
  dim_emb = 128;
  image.patch_embedding = ConvolutionalPatches{};
  position.kind = nn::Sinusoidal2dPositionOptions{};
  // The stream of a pre-norm stack carries queries and positions, which DETR adds again in every
  // attention, to its last layer.
  transformer.norm.placement = nn::PreNorm{};
}

EncoderOptions DetectorOptions::encoder() const { return {EncoderLayers{*this, enc_depth}}; }

void DetectorOptions::check() const {
  options::check_scopes(*this);
  encoder().check();
  if (image.image_size.size() > 2) {
    fail<OptionError>("--image-size", "expected a height and a width, got {} numbers",
                      image.image_size.size());
  }
  image.check(dim_emb);
  if (transformer.norm.kind.is<nn::BatchNormOptions>()) {
    fail<OptionError>("--norm-kind",
                      "the norm at the decoder's end reads every layer, whose statistics differ; "
                      "expected layer or rms");
  }
  if (transformer.attention.kind.is_full()) return;
  fail<OptionError>("--attention", "expected full, got {}", transformer.attention.kind.name());
}

void DetectorDims::check(const DetectorOptions& options) const {
  check_patches(image, options.image.patch_size, options.encoder(), 0);
}

}  // namespace weft::models
