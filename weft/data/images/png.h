// PNG, read for image_file.h and written, by libpng.
#ifndef WEFT_DATA_IMAGES_PNG_H_
#define WEFT_DATA_IMAGES_PNG_H_

#include <cstdint>
#include <span>
#include <string>

#include "weft/data/images/image.h"

namespace weft::data {

// The picture of a whole PNG file; as decode_image() throws and says.
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);

// The bytes of a PNG file of a picture of 1 or 3 channels. Throws ShapeError for another number.
std::string encode_png(const Image& image);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_PNG_H_
