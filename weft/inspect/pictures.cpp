#include "weft/inspect/pictures.h"

#include "weft/data/images/image_file.h"
#include "weft/data/images/png.h"

namespace weft::inspect {

data::Features ModelPicture::features() const {
  data::Features out;
  out.values.assign(pixels.begin(), pixels.end());
  out.width = std::ssize(pixels);
  out.segments.append(1);
  return out;
}

ModelPicture read_picture(const std::string& path, const data::ImageShape& shape) {
  ModelPicture out;
  out.pixels = data::pixels_of(data::read_image(path), shape);
  out.png = data::encode_png({.height = shape.height,
                              .width = shape.width,
                              .channels = shape.channels,
                              .pixels = out.pixels});
  return out;
}

PatchAxis patch_axis(const std::string& png, const data::ImageShape& shape, int64_t patch,
                     bool has_class_token) {
  PatchAxis out{
      .png = png, .rows = shape.height / patch, .columns = shape.width / patch, .patches = {}};
  if (has_class_token) out.patches.push_back(-1);
  for (int32_t i = 0; i < shape.patches(patch); ++i) out.patches.push_back(i);
  return out;
}

}  // namespace weft::inspect
