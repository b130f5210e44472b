// PNG, read by libpng; for image_file.h.
#ifndef WEFT_DATA_IMAGES_PNG_H_
#define WEFT_DATA_IMAGES_PNG_H_

#include <cstdint>
#include <span>
#include <string>

#include "weft/data/images/image.h"

namespace weft::data {

// The picture of a whole PNG file; as decode_image() throws and says.
Image decode_png(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_PNG_H_
