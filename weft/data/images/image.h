// Pictures in memory: their channels and their size.
#ifndef WEFT_DATA_IMAGES_IMAGE_H_
#define WEFT_DATA_IMAGES_IMAGE_H_

#include <cstdint>
#include <vector>

#include "weft/data/images/image_shape.h"
#include "weft/picture.h"

namespace weft::data {

// The largest picture that is read or made: 64 Mi pixels.
inline constexpr int64_t kMaxPixels = int64_t{1} << 26;

using Image = Picture;

// Throws ShapeError, beginning with `where`, for other than 1 or 3 channels, a side below 1, more
// than kMaxPixels, and pixels that do not have the shape.
void check_image(const Image& image, const char* where);

// Sets what is 0 of a shape to that of the first picture.
void complete(ImageShape& shape, const Image& first);

// The picture with 1 or 3 channels: grey is the luma of ITU-R BT.601, as Pillow's convert("L");
// red-green-blue repeats grey. Throws ShapeError for another number, and for a picture whose pixels
// do not have its shape.
Image with_channels(const Image& image, int64_t channels);

// The picture resampled to [height, width] by a triangle (bilinear) filter, which widens where the
// picture shrinks, so that every pixel counts: as Pillow's resize(BILINEAR), from which no level
// differs by more than 1. Weights have 22 bits; width and height are resampled one after the other,
// each rounded to 8 bits, so a side that shrinks a million times over loses light. Throws
// ShapeError for a side below 1, more than kMaxPixels, and a picture whose pixels do not have its
// shape.
Image resize(const Image& image, int64_t height, int64_t width);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_IMAGE_H_
