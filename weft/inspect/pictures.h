// Pictures as models read them, and as axes of attention.
#ifndef WEFT_INSPECT_PICTURES_H_
#define WEFT_INSPECT_PICTURES_H_

#include <string>
#include <vector>

#include "weft/data/images/pixels.h"
#include "weft/inspect/inspection.h"

namespace weft::inspect {

// A picture at a model's size.
struct ModelPicture {
  std::string png;
  std::vector<uint8_t> pixels;  // [height, width, channels]

  // As a batch of one picture, a row of bytes as numbers.
  data::Features features() const;
};

// Throws FileError and FormatError for what cannot be read.
ModelPicture read_picture(const std::string& path, const data::ImageShape& shape);

// All patches of a picture, after a class token if a model has one.
PatchAxis patch_axis(const std::string& png, const data::ImageShape& shape, int64_t patch,
                     bool has_class_token);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_PICTURES_H_
