// Random changes of training pictures that keep their labels valid (data augmentation).
#ifndef WEFT_DATA_IMAGES_AUGMENTATION_H_
#define WEFT_DATA_IMAGES_AUGMENTATION_H_

#include <span>

#include "weft/core/random.h"
#include "weft/data/images/image_shape.h"
#include "weft/data/images/pixels.h"
#include "weft/options/fields.h"

namespace weft::data {

struct AugmentationOptions {
  int64_t random_crop = 0;
  bool random_flip = false;
  double random_erasing = 0;

  template <class V>
  void fields(V& v) {
    v("random-crop", random_crop,
      {.help = "in training, each picture is shifted by up to N pixels vertically and horizontally",
       .min = 0,
       .max = 4096});
    v("random-flip", random_flip,
      {.help = "half of the pictures are mirrored, left to right, in training"});
    v("random-erasing", random_erasing,
      {.help = "probability, in training, that a rectangle of a picture, of 2 to 33 % of its area, "
               "is replaced by the mean (Zhong et al. 2020, arXiv 1708.04896)",
       .min = 0,
       .max = 1});
  }
};

// Where the pixels of a picture went: first down and to the right, then to the other side.
struct Placement {
  int64_t down = 0, right = 0;
  bool is_flipped = false;
};

// Crops, flips and erases one picture [height, width, channels] of bytes as numbers; what comes
// from beyond its border, or is erased, has the mean of each channel.
Placement augment(std::span<float> picture, const ImageShape& shape,
                  const ChannelStatistics& statistics, const AugmentationOptions& options,
                  RandomStream& random);

// A number from 0 to 1 of the beta distribution of (a, a), with 0 < a <= 1, by the rejection of
// Jöhnk 1964.
double draw_beta(double a, RandomStream& random);

}  // namespace weft::data

#endif  // WEFT_DATA_IMAGES_AUGMENTATION_H_
