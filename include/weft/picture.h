// Pictures in memory.
#ifndef WEFT_PICTURE_H_
#define WEFT_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/export.h"

namespace weft {

// Rows of pixels from the top, each of `channels` bytes (1 grey, 3 red-green-blue).
struct Picture {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<uint8_t> pixels;  // [height, width, channels]
};

// Reads a PNG or JPEG file, [height, width, 1 or 3]. Throws FileError and FormatError.
WEFT_API Picture read_picture(const std::string& path);

}  // namespace weft

#endif  // WEFT_PICTURE_H_
