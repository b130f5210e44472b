// Pictures as the numbers that a model reads.
#ifndef WEFT_DATA_IMAGES_PIXELS_H_
#define WEFT_DATA_IMAGES_PIXELS_H_

#include <span>
#include <vector>

#include "weft/core/fields.h"
#include "weft/data/batch.h"
#include "weft/data/images/image.h"
#include "weft/data/images/image_shape.h"

namespace weft::data {

// The mean and standard deviation of each channel's bytes, as numbers from 0 to 1. The deviation of
// a channel that is the same everywhere is 1.
struct PixelStatistics {
  std::vector<double> mean, deviation;  // [channels]

  template <class V>
  void fields(V& v) {
    v("pixel-mean", mean, {.help = "of each channel", .min = 0, .max = 1});
    v("pixel-deviation", deviation, {.help = "of each channel", .min = 1e-6, .max = 1});
  }
};
// Of the bytes of pictures, [..., channels].
PixelStatistics pixel_statistics(std::span<const uint8_t> pixels, int64_t channels);

// The bytes [height, width, channels] of a picture of any size, resampled to this one.
std::vector<uint8_t> pixels_of(const Image& image, const ImageShape& shape);

// How pictures become rows of an encoder.
struct PatchRule {
  ImageShape shape;
  int64_t patch = 1;  // height and width
  PixelStatistics statistics;
};
// Cuts pictures into square patches, from left to right and from the top down. `pictures` has a row
// for each example, [height, width, channels] from 0 to 255; the result has as many rows for each
// as there are patches, (value / 255 - mean) / deviation in the order [channels, patch, patch], and
// in its grid the row and the column of each. Throws ShapeError for pictures of another size.
Features patches_of(const Features& pictures, const PatchRule& rule);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_PIXELS_H_
