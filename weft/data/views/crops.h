// Pairs of views that are two crops of one picture under a shift, a scale and a rotation.
#ifndef WEFT_DATA_VIEWS_CROPS_H_
#define WEFT_DATA_VIEWS_CROPS_H_

#include <array>
#include <vector>

#include "weft/core/random.h"
#include "weft/data/images/image.h"
#include "weft/data/images/image_shape.h"
#include "weft/options/fields.h"

namespace weft::data {

struct CropOptions {
  double share = 0.5;
  double shift = 0.25;
  double scale = 1.25;
  double rotation = 15;
  int64_t per_picture = 1;

  template <class V>
  void fields(V& v) {
    v("crop-share", share,
      {.help = "height or width of the first crop by that of the largest one that fits",
       .min = 0.05,
       .max = 1});
    v("crop-shift", shift,
      {.help = "the second crop is shifted by at most this share of a crop's height and width",
       .min = 0,
       .max = 1});
    v("crop-scale", scale,
      {.help = "the second crop is at most this many times as large or as small as the first",
       .min = 1,
       .max = 10});
    v("crop-rotation", rotation,
      {.help = "largest rotation of the second crop, in degrees", .min = 0, .max = 180});
    v("crops-per-picture", per_picture,
      {.help = "pairs of crops of a picture in an epoch", .min = 1, .max = 1e6});
  }
};

// Where the second crop stands, seen from the first: its point p, in pixels from its center, is at
//   shift * size + exp(log_scale) * R(rotation) p
// in pixels from the center of the first.
struct CropMotion {
  double right = 0, down = 0;  // shift, in widths and heights of a crop
  double log_scale = 0;
  double rotation = 0;  // radians, clockwise on the screen

  std::array<float, 4> numbers() const {
    return {static_cast<float>(right), static_cast<float>(down), static_cast<float>(log_scale),
            static_cast<float>(rotation)};
  }
};

struct CropPair {
  std::vector<float> first, second;  // [height, width, channels] from 0 to 255
  CropMotion motion;
};

// The picture at the size at which a pixel of the first crop is a pixel of the picture, with the
// channels of the shape; no side is shorter than that of a crop.
Image scene_of(const Image& picture, const ImageShape& shape, const CropOptions& options);

// Draws a motion, each of its numbers evenly from its range, and a place of the first crop at which
// the second one lies in the scene as well. Where 32 places do not have that, pixels beyond the
// border are those of the border. Pixels are interpolated linearly.
CropPair draw_crops(const Image& scene, const ImageShape& shape, const CropOptions& options,
                    RandomStream& random);

}  // namespace weft::data

#endif  // WEFT_DATA_VIEWS_CROPS_H_
