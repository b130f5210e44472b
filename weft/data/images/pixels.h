// Pictures as the numbers that a model reads.
#ifndef WEFT_DATA_IMAGES_PIXELS_H_
#define WEFT_DATA_IMAGES_PIXELS_H_

#include <span>
#include <vector>

#include "weft/data/batch.h"
#include "weft/data/features/channel_statistics.h"
#include "weft/data/images/image.h"
#include "weft/data/images/image_shape.h"

namespace weft::data {

// Of the bytes of pictures, [..., channels], as numbers from 0 to 1.
ChannelStatistics pixel_statistics(std::span<const uint8_t> pixels, int64_t channels);

// The bytes [height, width, channels] of a picture of any size, resampled to this one.
std::vector<uint8_t> pixels_of(const Image& image, const ImageShape& shape);
// Appends them to `pictures` as an example of one row.
void append_picture(const Image& image, const ImageShape& shape, Features& pictures);

// How pictures become rows of an encoder.
struct PatchParams {
  ImageShape shape;
  int64_t patch = 1;  // height and width
  ChannelStatistics statistics;
};
// Cuts pictures into square patches, from left to right and from the top down. `pictures` has a row
// for each example, [height, width, channels] from 0 to 255; the result has as many rows for each
// as there are patches, (value / 255 - mean) / deviation in the order [channels, patch, patch], and
// in its grid the row and the column of each. Throws ShapeError for pictures of another size.
Features patches_of(const Features& pictures, const PatchParams& params);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_PIXELS_H_
